/** Operations on webhooks: the secret, deliveries, disabled URLs, test events. */
import type { ModeName } from "#vocabulary/names.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import type { DashboardDeps, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import { recordAndCall } from "../session/access.ts";
import { isId } from "#runtime/id.ts";
import {
  ofOwner,
  ownerOf,
  pathId,
  required,
  presentWholeList,
} from "../../edge/operations/operation.ts";
import { DELIVERY, presentDelivery } from "../../edge/operations/webhook-deliveries.ts";
import * as store from "../../store/store.ts";
import { Problem } from "../../edge/http/problem.ts";
import { present } from "#vocabulary/public-generation.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import type { GetWebhookSecretResponse } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { presentCreator } from "../members/members.ts";

export const retrieveWebhookSecret: DashboardOperation = (deps) => async (request) => {
  const found = await deps.delivery.getWebhookSecret(ownerOf(request));
  return presentWebhookSecret(deps, callerOf(request).mode, found);
};

export const rotateWebhookSecret: DashboardOperation = (deps) => async (request) => {
  const { mode } = callerOf(request);
  const { id: userId } = session.userOf(request);
  const change = { action: "webhook_secret.rotate", mode } as const;
  const rotated = await recordAndCall(deps, request, change, () =>
    deps.delivery.rotateWebhookSecret({ ...ownerOf(request), userId }),
  );
  return presentWebhookSecret(deps, mode, rotated);
};

/** By its own id, or by that of its event. */
export const retrieveDelivery: DashboardOperation = (deps) => async (request) => {
  const id = pathId(request);
  const { delivery, body } = await ofOwner(
    deps,
    request,
    DELIVERY,
    (ref) => deps.delivery.getDelivery(ref),
    isId("evt", id) ? id : undefined,
  );
  return {
    delivery: presentDelivery(required(delivery)),
    ...present("payload", body),
  } satisfies Schemas["DeliveryView"];
};

export const sendTestEvent: DashboardOperation = (deps) => async (request) => {
  const { restriction } = callerOf(request);
  const { url, type } = request.body as Schemas["TestEventRequest"];
  if (restriction === "account_suspended") throw new Problem(restriction);
  const { delivery } = await deps.delivery.sendTestEvent({ ...ownerOf(request), url, type });
  return presentDelivery(required(delivery));
};

const MAX_URLS = 100;

export const listDisabledUrls: DashboardOperation = (deps) => async (request) => {
  const { urls } = await deps.delivery.listDisabledUrls({ ...ownerOf(request), limit: MAX_URLS });
  const data = urls.map((one) => ({
    url: one.url,
    disabled_at: publicTime(required(one.disabledAt)),
  }));
  return presentWholeList(data) satisfies Schemas["DisabledUrlList"];
};

export const enableUrl: DashboardOperation = (deps) => async (request) => {
  const { mode } = callerOf(request);
  const { url } = request.body as Schemas["WebhookUrlRequest"];
  await recordAndCall(deps, request, { action: "webhook_url.enable", target: url, mode }, () =>
    deps.delivery.enableUrl({ ...ownerOf(request), url }),
  );
};

type Secret = Omit<GetWebhookSecretResponse, "$typeName">;

/** The signing secret, who rotated it and when, and until when the previous one stays valid. */
async function presentWebhookSecret(
  { sql }: DashboardDeps,
  mode: ModeName,
  { secret, olderValidUntil: until, createdBy, createdAt }: Secret,
): Promise<Schemas["WebhookSecret"]> {
  const creatorName = (await store.findUser(sql, createdBy))?.name ?? null;
  return {
    object: "webhook.secret",
    mode,
    secret,
    ...(createdBy === "" ? {} : { created_by: presentCreator({ createdBy, creatorName }) }),
    created_at: publicTime(required(createdAt)),
    ...(until ? { previous_expires_at: publicTime(until) } : {}),
  };
}
