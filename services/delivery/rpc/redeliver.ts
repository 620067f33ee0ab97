/** Redeliver: makes a delivery due now, with the same event id and body, whether it has ended or is to be tried again later. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isId } from "#runtime/id.ts";
import { modeName } from "#runtime/mode.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { toDelivery } from "../domain/delivery.ts";
import { findDelivery } from "../store/delivery-log.ts";
import { isUrlDisabled } from "../store/disabled-urls.ts";
import { advanceIfScheduled, redeliverIfEnded } from "../store/webhook-deliveries.ts";
import { deliveryNotFound } from "./get-delivery.ts";

export function redeliver(deps: Deps): ServiceImpl<typeof DeliveryService>["redeliver"] {
  return async ({ accountId, mode, deliveryId }) => {
    if (!isId("whd", deliveryId)) throw deliveryNotFound();
    const { sql } = deps;
    const at = deps.clock.now();
    const owner = { accountId, mode: modeName(mode) };
    const isDue =
      (await redeliverIfEnded(sql, owner, deliveryId, at)) ||
      (await advanceIfScheduled(sql, owner, deliveryId, at));
    const row = await findDelivery(sql, owner, deliveryId);
    if (!row) throw deliveryNotFound();
    if (isDue) deps.wakeSender();
    else if (await isUrlDisabled(sql, owner, row.url)) throw urlDisabled();
    return { delivery: toDelivery(row) };
  };
}

export function urlDisabled(): Error {
  return refusal({
    reason: ErrorReason.WEBHOOK_URL_DISABLED,
    message:
      "This URL is disabled because it answered 410 Gone or every attempt failed for days. Enable it again, or use another webhook_url in your next requests.",
  });
}
