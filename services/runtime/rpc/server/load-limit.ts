/** Refuses calls beyond what this process can answer soon, before anything else is done for them. */
import { createContextKey, type Interceptor } from "@connectrpc/connect";
import { load_limited as limitedOption } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { LoadLimits, Turn } from "../../load-limit.ts";
import { refusal } from "../errors.ts";
import { methodOption } from "../method-option.ts";

/** The turn of a call that is limited; a handler pauses it while it only waits for others. */
export const turnKey = createContextKey<Turn | undefined>(undefined, {
  description: "the call's turn",
});

const isLimited = methodOption(limitedOption);

/**
 * Limits the RPCs whose `load_limited` option says so, each on its own. A refused call is `unavailable`.
 */
export function loadInterceptor(limits: LoadLimits): Interceptor {
  return (next) => async (request) => {
    const { method } = request;
    if (request.stream || !isLimited(method)) return next(request);
    const turn = await limits(method.name).take();
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
