/** Gives every call a deadline: the caller's, else the one that the proto states for the RPC. */
import type { Transport } from "@connectrpc/connect";
import { timeout_ms as timeoutOption } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import { methodOption } from "../method-option.ts";

const DEFAULT_TIMEOUT_MS = 5_000;

/** 0: the proto states none. */
const statedTimeoutMs = methodOption(timeoutOption);

/** Streams have none: they last until one side ends them, or their session is lost. */
export function withDeadlines(transport: Transport): Transport {
  return {
    unary: (method, signal, timeoutMs = statedTimeoutMs(method) || DEFAULT_TIMEOUT_MS, ...rest) =>
      transport.unary(method, signal, timeoutMs, ...rest),
    stream: (...call) => transport.stream(...call),
  };
}
