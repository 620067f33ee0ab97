/** AcceptEnd: accepts the end of a generation whose event may have been lost. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "./deps.ts";
import { generationEndOf } from "../domain/event.ts";
import { queueDelivery } from "../webhook/queue-delivery.ts";

export function acceptEnd(deps: Deps): ServiceImpl<typeof DeliveryService>["acceptEnd"] {
  return async ({ finished }) => {
    const end = finished && generationEndOf(finished);
    if (!end) {
      throw refusal({
        reason: ErrorReason.INVALID_FIELD,
        field: "finished",
        message: "finished must have an event id and a generation that has ended",
      });
    }
    try {
      await queueDelivery(deps, end);
    } catch (error) {
      deps.log.warn(
        { err: error, generation_id: end.generation.id },
        "end of generation not accepted",
      );
      throw refusal({
        reason: ErrorReason.UNAVAILABLE,
        message: "the end could not be accepted now; call again with the same request",
      });
    }
    return {};
  };
}
