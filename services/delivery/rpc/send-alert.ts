/** SendAlert: sends an alert about Tokens to the account's URL, in the same way as any other event. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { checkUrl } from "#runtime/address.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { keptContext } from "#runtime/work-context.ts";
import type { Deps } from "../deps.ts";
import { alertWebhook } from "../domain/alert-event.ts";
import { insertDelivery } from "../store/webhook-deliveries.ts";

export function sendAlert(deps: Deps): ServiceImpl<typeof DeliveryService>["sendAlert"] {
  return async ({ alert, url }) => {
    const webhook = alert && alertWebhook(alert);
    if (!webhook) throw invalid("alert", "alert must say what happened, and when");
    const check = checkUrl(url, deps.allowAddress);
    if (!check.ok) throw invalid("url", `the URL ${check.reason}`);
    await insertDelivery(deps.sql, {
      accountId: alert.accountId,
      id: deps.newId("whd"),
      // Limits and thresholds are of live mode.
      mode: "live",
      eventId: alert.eventId,
      ...webhook,
      generationId: null,
      url,
      host: check.url.host,
      at: deps.clock.now(),
      ...keptContext(),
    });
    deps.wakeSender();
    return {};
  };
}

function invalid(field: string, message: string): Error {
  return refusal({ reason: ErrorReason.INVALID_FIELD, field, message });
}
