/** The RPCs on webhook deliveries. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ListDeliveriesRequest } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isId, isGenerationId } from "#runtime/id.ts";
import { modeName, deliveryStatusName } from "#vocabulary/names.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { toDelivery, type DeliveryRow } from "../domain/delivery.ts";
import {
  findDelivery,
  listDeliveries as listRows,
  type DeliveryFilter,
  type DeliveryOwner,
} from "../store/delivery-log.ts";
import { isUrlDisabled } from "../store/disabled-urls.ts";
import { redeliverIfNotDue } from "../store/webhook-deliveries.ts";

export const deliveryRpcs = (deps: Deps) =>
  ({
    async getDelivery({ accountId, mode, deliveryId }) {
      const owner = { accountId, mode: modeName(mode) };
      const isPossible = isId("whd", deliveryId) || isId("evt", deliveryId);
      const row = isPossible ? await findDelivery(deps.sql, owner, deliveryId) : undefined;
      if (!row) throw deliveryNotFound();
      return { delivery: toDelivery(row), body: row.body.toString("utf8") };
    },
    async listDeliveries(request) {
      const { generationId, limit, after } = request;
      const owner = { accountId: request.accountId, mode: modeName(request.mode) };
      const cursor = await cursorOf(deps, owner, after);
      if (generationId !== undefined && !isGenerationId(generationId)) return {};
      const rows = await listRows(deps.sql, {
        ...owner,
        ...filterOf(request),
        generationId,
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
  }) satisfies Partial<Rpcs>;

function deliveryNotFound(): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "delivery_id",
    message: "there is no such delivery in this account and mode",
  });
}

function filterOf({
  status,
  failing,
  type,
  url,
  createdAfter,
  createdBefore,
}: ListDeliveriesRequest): DeliveryFilter {
  return {
    status: failing ? "failing" : deliveryStatusName(status),
    type,
    url,
    createdAfter: createdAfter && timestampDate(createdAfter),
    createdBefore: createdBefore && timestampDate(createdBefore),
  };
}

async function cursorOf(
  { sql }: Deps,
  owner: DeliveryOwner,
  id: string | undefined,
): Promise<DeliveryRow | undefined> {
  if (id === undefined) return undefined;
  const row = isId("whd", id) ? await findDelivery(sql, owner, id) : undefined;
  if (row) return row;
  throw refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "after",
    message: "after must be the id of a delivery of this account and mode",
  });
}

export function urlDisabled(): Error {
  return refusal({
    reason: ErrorReason.WEBHOOK_URL_DISABLED,
    message:
      "This URL is disabled because it answered 410 Gone or every attempt failed for days. Enable it again in the dashboard, under Webhooks, or use another webhook_url in your next requests.",
  });
}
