/** Gives every call a deadline: the caller's, else the one that the proto states for the RPC. */
import { getOption } from "@bufbuild/protobuf";
import type { DescMethod } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { timeout_ms as timeoutOption } from "#gen/proto/media/runtime/v1/calls_pb.ts";

const DEFAULT_TIMEOUT_MS = 5_000;

/** Streams have none: they last until one side ends them, or their session is lost. */
export function withDeadlines(transport: Transport): Transport {
  return {
    unary: (method, signal, timeoutMs, ...rest) =>
      transport.unary(method, signal, timeoutMs ?? timeoutOf(method), ...rest),
    stream: (...call) => transport.stream(...call),
  };
}

/** Cached, because reading an option decodes it, which costs more than the rest of a call's overhead. */
const timeoutByMethod = new WeakMap<DescMethod, number>();

function timeoutOf(method: DescMethod): number {
  const known = timeoutByMethod.get(method);
  if (known !== undefined) return known;
  const timeoutMs = getOption(method, timeoutOption) || DEFAULT_TIMEOUT_MS;
  timeoutByMethod.set(method, timeoutMs);
  return timeoutMs;
}
