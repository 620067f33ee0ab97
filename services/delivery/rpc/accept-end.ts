/** AcceptEnd: queues the webhook of a generation that has ended. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { keptContext } from "#runtime/work-context.ts";
import { modeName } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { generationEndOf, webhookBody, webhookUrlOf } from "../domain/event.ts";
import { insertDelivery } from "../store/webhook-deliveries.ts";

/** Idempotent by event id; answers after the commit. */
export function acceptEnd(deps: Deps): ServiceImpl<typeof DeliveryService>["acceptEnd"] {
  return async ({ finished }) => {
    const end = finished && generationEndOf(finished);
    if (!end) {
      throw refusal({
        reason: ErrorReason.INVALID_FIELD,
        field: "finished",
        message:
          "finished must have an event id, and a generation that has ended with all that its webhook shows",
      });
    }
    const { generation } = end;
    const url = webhookUrlOf(end);
    if (url === undefined) return {};
    await insertDelivery(deps.sql, {
      accountId: generation.accountId,
      id: deps.newId("whd"),
      mode: modeName(generation.mode),
      eventId: end.eventId,
      type: end.type,
      generationId: generation.id,
      url,
      host: URL.parse(url)?.host ?? "",
      body: webhookBody(end, deps.assetBaseUrl),
      at: deps.clock.now(),
      ...keptContext(),
    });
    deps.wakeSender();
    return {};
  };
}
