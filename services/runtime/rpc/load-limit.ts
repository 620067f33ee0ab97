/** Refuses calls beyond what this process can answer soon, before anything else is done for them. */
import { createContextKey } from "@connectrpc/connect";
import type { Interceptor } from "@connectrpc/connect";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { LoadLimits, Turn } from "../load-limit.ts";
import { refusal } from "./errors.ts";
import { callersOf } from "./interceptors.ts";

/** The turn of a call that is limited; a handler pauses it while it only waits for others. */
export const turnKey = createContextKey<Turn | undefined>(undefined, {
  description: "the call's turn",
});

/**
 * Limits the RPCs that any caller may call, each on its own: they begin work or read. Those that name their callers
 * carry on work that was accepted, or are for operators. A refused call is `unavailable`.
 */
export function loadInterceptor(limits: LoadLimits): Interceptor {
  return (next) => async (request) => {
    const { method } = request;
    if (request.stream || !callersOf(method).includes("*")) return next(request);
    const turn = await limits(method.name)();
    if (!turn) {
      throw refusal({ reason: ErrorReason.UNAVAILABLE, message: "too many calls; try again" });
    }
    request.contextValues.set(turnKey, turn);
    try {
      return await next(request);
    } finally {
      turn.end();
    }
  };
}
