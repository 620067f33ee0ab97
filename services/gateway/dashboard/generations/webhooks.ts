/** Operations on webhooks: the secret, deliveries, disabled URLs, test events. */
import { callerOf } from "../../edge/http/request-state.ts";
import type { DashboardCall, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import { recordAndCall } from "../session/access.ts";
import { isId } from "#runtime/id.ts";
import {
  ofOwner,
  ownerOf,
  pathId,
  required,
  presentPage,
  publicOf,
} from "../../edge/operations/operation.ts";
import { DELIVERY, presentDelivery } from "../../edge/operations/webhook-deliveries.ts";
import * as store from "../../store/store.ts";
import { Problem } from "../../edge/http/problem.ts";
import { present } from "#vocabulary/public-generation.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import type { GetWebhookSecretResponse } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { presentCreator } from "../members/members.ts";

export const retrieveWebhookSecret: DashboardOperation = async (call) => {
  const { deps, request } = call;
  return presentWebhookSecret(call, await deps.delivery.getWebhookSecret(ownerOf(request)));
};

export const rotateWebhookSecret: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { id: userId } = session.userOf(request);
  const change = { action: "webhook_secret.rotate", mode: callerOf(request).mode } as const;
  const rotated = await recordAndCall(call, change, () =>
    deps.delivery.rotateWebhookSecret({ ...ownerOf(request), userId }),
  );
  return presentWebhookSecret(call, rotated);
};

/** By its own id, or by that of its event. */
export const retrieveDelivery: DashboardOperation = async (call) => {
  const id = pathId(call.request);
  const { delivery, body } = await ofOwner(
    call,
    DELIVERY,
    (ref) => call.deps.delivery.getDelivery(ref),
    isId("evt", id) ? id : undefined,
  );
  return {
    delivery: presentDelivery(required(delivery)),
    ...present("payload", body),
  } satisfies Schemas["DeliveryView"];
};

export const sendTestEvent: DashboardOperation = async ({ deps, request }) => {
  const { restriction } = callerOf(request);
  const { url, type } = request.body as Schemas["TestEventRequest"];
  if (restriction === "account_suspended") throw new Problem(restriction);
  const { delivery } = await deps.delivery.sendTestEvent({ ...ownerOf(request), url, type });
  return presentDelivery(required(delivery));
};

const MAX_URLS = 100;

export const listDisabledUrls: DashboardOperation = async ({ deps, request }) => {
  const { urls } = await deps.delivery.listDisabledUrls({ ...ownerOf(request), limit: MAX_URLS });
  return presentPage(urls.map(publicOf)) satisfies Schemas["DisabledUrlList"];
};

export const enableUrl: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { mode } = callerOf(request);
  const { url } = request.body as Schemas["WebhookUrlRequest"];
  await recordAndCall(call, { action: "webhook_url.enable", target: url, mode }, () =>
    deps.delivery.enableUrl({ ...ownerOf(request), url }),
  );
};

type Secret = Omit<GetWebhookSecretResponse, "$typeName">;

/** The signing secret, who rotated it and when, and until when the previous one stays valid. */
async function presentWebhookSecret({ deps, request }: DashboardCall, found: Secret) {
  const { secret, olderValidUntil: until, createdBy, createdAt } = found;
  const creatorName = (await store.findUser(deps.sql, createdBy))?.name ?? null;
  return {
    object: "webhook.secret" as const,
    mode: callerOf(request).mode,
    secret,
    ...(createdBy === "" ? {} : { created_by: presentCreator({ createdBy, creatorName }) }),
    created_at: publicTime(required(createdAt)),
    ...(until ? { previous_expires_at: publicTime(until) } : {}),
  } satisfies Schemas["WebhookSecret"];
}
