/** Every call has a deadline. */
import type { DescMethod } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { timeout_ms as timeoutOption } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import { methodOption } from "../context.ts";

const DEFAULT_TIMEOUT_MS = 5_000;

/** The time that the proto states for an RPC; 0: none. */
export const statedTimeoutMs = methodOption(timeoutOption);

/**
 * Gives every call a deadline: the caller's, else `usualMs`, else the one that the proto states. Streams have none: they last
 * until one side ends them, or their session is lost.
 */
export function withDeadlines(transport: Transport, usualMs?: number): Transport {
  const usualOf = (method: DescMethod) =>
    usualMs ?? (statedTimeoutMs(method) || DEFAULT_TIMEOUT_MS);
  return {
    unary: (method, signal, timeoutMs = usualOf(method), ...rest) =>
      transport.unary(method, signal, timeoutMs, ...rest),
    stream: (...call) => transport.stream(...call),
  };
}
