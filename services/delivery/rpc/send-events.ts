/** The RPCs that queue webhooks: of the ends of generations, of alerts, and tests. */
import type { ServiceImpl } from "@connectrpc/connect";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  DeliverySchema,
  DeliveryStatus,
  type DeliveryService,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { checkUrl } from "#runtime/address.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { keptContext } from "#runtime/work-context.ts";
import { modeName } from "#vocabulary/names.ts";
import type { Deps } from "./deps.ts";
import {
  alertWebhook,
  testEventBody,
  generationEndOf,
  webhookBody,
  webhookUrlOf,
} from "../domain/event.ts";
import { insertDelivery } from "../store/webhook-deliveries.ts";
import { isUrlDisabled } from "../store/disabled-urls.ts";
import { urlDisabled } from "./deliveries.ts";

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

export function sendTestEvent(deps: Deps): ServiceImpl<typeof DeliveryService>["sendTestEvent"] {
  return async (request) => {
    const { accountId, url, type = "webhook.test" } = request;
    const owner = { accountId, mode: modeName(request.mode) };
    const check = checkUrl(url, deps.allowAddress);
    if (!check.ok) throw invalid("url", `the URL ${check.reason}`);
    const at = deps.clock.now();
    const body = testEventBody(type, owner.mode, at);
    if (!body) throw invalid("type", "there is no event of this type");
    if (await isUrlDisabled(deps.sql, owner, url)) throw urlDisabled();
    const id = deps.newId("whd");
    const eventId = deps.newId("evt");
    await insertDelivery(deps.sql, {
      ...owner,
      id,
      eventId,
      type,
      generationId: null,
      url,
      host: check.url.host,
      body,
      at,
      ...keptContext(),
    });
    deps.wakeSender();
    const createdAt = timestampFromDate(at);
    return {
      delivery: create(DeliverySchema, {
        id,
        eventId,
        type,
        url,
        status: DeliveryStatus.PENDING,
        nextAttemptAt: createdAt,
        createdAt,
      }),
    };
  };
}

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
