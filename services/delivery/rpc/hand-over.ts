/** HandOver: a finished generation whose event may have been lost. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { endOf } from "../domain/event.ts";
import { takeOver } from "../webhook/accept-end.ts";

export function handOver(deps: Deps): ServiceImpl<typeof DeliveryService>["handOver"] {
  return async ({ finished }) => {
    const end = finished && endOf(finished);
    if (!end) {
      throw refusal({
        reason: ErrorReason.INVALID_FIELD,
        field: "finished",
        message: "finished must hold an event id and a generation that has ended",
      });
    }
    try {
      await takeOver(deps, end);
    } catch (error) {
      deps.log.warn({ err: error, generation_id: end.generation.id }, "end not taken over");
      throw refusal({
        reason: ErrorReason.UNAVAILABLE,
        message: "the end could not be taken over now; call again with the same request",
      });
    }
    return {};
  };
}
