/** ListDeliveries: a page of an account's webhook deliveries, newest first. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { deliveryStatusName } from "#runtime/delivery-status.ts";
import { isGenerationId, isId } from "#runtime/id.ts";
import { modeName } from "#runtime/mode.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { toDelivery } from "../domain/delivery.ts";
import type { DeliveryRow } from "../domain/delivery.ts";
import { findDelivery, listDeliveries as listRows } from "../store/delivery-log.ts";
import type { DeliveryOwner } from "../store/delivery-log.ts";

export function listDeliveries(deps: Deps): ServiceImpl<typeof DeliveryService>["listDeliveries"] {
  return async ({ accountId, mode, generationId, status, limit, after }) => {
    const owner = { accountId, mode: modeName(mode) };
    const cursor = await cursorOf(deps, owner, after);
    if (generationId !== undefined && !isGenerationId(generationId)) return {};
    const rows = await listRows(deps.sql, {
      ...owner,
      generationId,
      status: deliveryStatusName(status),
      after: cursor,
      limit: limit + 1,
    });
    return { deliveries: rows.slice(0, limit).map(toDelivery), hasMore: rows.length > limit };
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
