/** The RPCs on webhook deliveries, on disabled URLs and on signing secrets. */
import { create, fromJson } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AttemptSchema,
  DeliverySchema,
  DisabledReason,
  type Delivery,
} from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isGenerationId, isId } from "#runtime/id.ts";
import { invalidField, notFound, refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { deliveryStatusName, deliveryStatusOf, modeName, namesOf } from "#vocabulary/names.ts";
import type { DeliveryRow } from "../domain/delivery.ts";
import type { Deps, Rpcs } from "./deps.ts";
import {
  findDelivery,
  listDeliveries as listRows,
  redeliverIfNotDue,
  resumeStoppedDeliveries,
} from "../store/webhook-deliveries.ts";
import {
  deleteDisabledUrl,
  insertDisabledUrl,
  isUrlDisabled,
  listDisabledUrls as listUrls,
  type DisabledUrlCursor,
} from "../store/disabled-urls.ts";
import { waitForRunningClaims } from "../store/webhook-claims.ts";
import { rotateSecret, signingSecrets, type SigningSecrets } from "../webhook/signing-secrets.ts";

const { valueOf: reasonOf } = namesOf(DisabledReason);

export const webhookRpcs = (deps: Deps) =>
  ({
    async getDelivery({ accountId, mode, deliveryId }) {
      const owner = { accountId, mode: modeName(mode) };
      const row = await findDelivery(deps.sql, owner, deliveryId);
      if (!row) throw deliveryNotFound();
      return { delivery: toDelivery(row), body: row.body.toString("utf8") };
    },
    async listDeliveries(request) {
      const { generationId, type, url, createdAfter, createdBefore, limit, after } = request;
      const owner = { accountId: request.accountId, mode: modeName(request.mode) };
      const cursor = after === undefined ? undefined : await findDelivery(deps.sql, owner, after);
      // Equal on the first page too, where both are undefined. A delivery that was found by its event has another id.
      if (cursor?.id !== after) {
        throw notFound("after", "after must be the id of a delivery of this account and mode");
      }
      if (generationId !== undefined && !isGenerationId(generationId)) return {};
      const rows = await listRows(deps.sql, {
        ...owner,
        status: request.failing ? "failing" : deliveryStatusName(request.status),
        generationId,
        type,
        url,
        createdAfter: createdAfter && timestampDate(createdAfter),
        createdBefore: createdBefore && timestampDate(createdBefore),
        after: cursor,
        limit: limit + 1,
      });
      return { deliveries: rows.slice(0, limit).map(toDelivery), hasMore: rows.length > limit };
    },
    async redeliver({ accountId, mode, deliveryId }) {
      if (!isId("whd", deliveryId)) throw deliveryNotFound();
      const { sql } = deps;
      const at = deps.clock.now();
      const owner = { accountId, mode: modeName(mode) };
      const isDue = await redeliverIfNotDue(sql, owner, deliveryId, at);
      const row = await findDelivery(sql, owner, deliveryId);
      if (!row) throw deliveryNotFound();
      if (isDue) deps.wakeSender();
      else if (await isUrlDisabled(sql, owner, row.url)) throw urlDisabled();
      return { delivery: toDelivery(row) };
    },
    async listDisabledUrls({ accountId, mode, url, limit, after }) {
      const page = { url, after: parseCursor(after), limit: limit + 1 };
      const rows = await listUrls(deps.sql, { accountId, mode: modeName(mode) }, page);
      const pageRows = rows.slice(0, limit);
      const last = rows.length > limit ? pageRows.at(-1) : undefined;
      return {
        urls: pageRows.map((row) => ({ ...fieldsOf(row), reason: reasonOf(row.reason) })),
        ...(last ? { nextAfter: cursorText(last) } : {}),
      };
    },
    async disableUrl({ accountId, mode, url }) {
      const owner = { accountId, mode: modeName(mode) };
      return { wasDisabled: !(await insertDisabledUrl(deps.sql, owner, url, deps.clock.now())) };
    },
    async enableUrl({ accountId, mode, url }, { signal }) {
      const { sql, clock } = deps;
      const owner = { accountId, mode: modeName(mode) };
      const wasDisabled = await deleteDisabledUrl(sql, owner, url);
      // A claim that still sees the URL as disabled may be stopping deliveries of it.
      await waitForRunningClaims(sql);
      let resumed = 0;
      let count: number;
      do {
        const batch = { at: clock.now(), limit: BATCH };
        count = await resumeStoppedDeliveries(sql, owner, url, batch);
        resumed += count;
      } while (count === BATCH && !signal.aborted);
      if (resumed > 0) deps.wakeSender();
      return { wasDisabled, resumed };
    },
    async getWebhookSecret({ accountId, mode }) {
      return replyOf(await signingSecrets(deps, { accountId, mode: modeName(mode) }));
    },
    async rotateWebhookSecret({ accountId, mode, replacesVersion: replaces, userId }) {
      const owner = { accountId, mode: modeName(mode) };
      return replyOf(await rotateSecret(deps, owner, { replaces, by: userId || OPERATOR }));
    },
  }) satisfies Partial<Rpcs>;

export function toDelivery(row: DeliveryRow): Delivery {
  return create(DeliverySchema, {
    ...fieldsOf(row),
    status: deliveryStatusOf(row.status),
    attempts: row.attempts.map((attempt) => fromJson(AttemptSchema, attempt)),
  });
}

function deliveryNotFound(): Error {
  return notFound("delivery_id", "there is no such delivery in this account and mode");
}

export function urlDisabled(): Error {
  return refusal({
    reason: ErrorReason.WEBHOOK_URL_DISABLED,
    message:
      "This URL is disabled: it answered 410 Gone, every attempt failed for days, or an operator disabled it. Enable it again in the dashboard, under Webhooks, or use another webhook_url in your next requests.",
  });
}

/** The cursor as clients see it. */
function cursorText({ disabledAt, urlSha256 }: DisabledUrlCursor): string {
  return `${disabledAt.getTime()}.${urlSha256.toString("hex")}`;
}

function parseCursor(text: string | undefined): DisabledUrlCursor | undefined {
  if (text === undefined) return undefined;
  const [, time, digest] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(text) ?? [];
  if (time === undefined || digest === undefined || Number(time) > 8.64e15) {
    throw invalidField("after", "after must be the next_after of a page of this list");
  }
  return { disabledAt: new Date(Number(time)), urlSha256: Buffer.from(digest, "hex") };
}

const BATCH = 1_000;

/** What is stored for an operator instead of a user's id. */
const OPERATOR = "operator";

/** The first of the valid secrets, and the time until which the older ones also sign. */
function replyOf([newest, ...older]: SigningSecrets) {
  // Those before it expire earlier.
  const until = older[0]?.expiresAt;
  return {
    ...fieldsOf(newest),
    version: newest.number,
    ...(until ? { olderValidUntil: timestampFromDate(until) } : {}),
  };
}
