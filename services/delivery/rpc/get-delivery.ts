/** GetDelivery: one webhook delivery with its latest attempts and its body. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isId } from "#runtime/id.ts";
import { modeName } from "#runtime/mode.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { toDelivery } from "../domain/delivery.ts";
import { findDelivery, findDeliveryBody } from "../store/delivery-log.ts";

export function getDelivery(deps: Deps): ServiceImpl<typeof DeliveryService>["getDelivery"] {
  return async ({ accountId, mode, deliveryId }) => {
    const owner = { accountId, mode: modeName(mode) };
    const row = isId("whd", deliveryId)
      ? await findDelivery(deps.sql, owner, deliveryId)
      : undefined;
    if (!row) throw deliveryNotFound();
    const body = await findDeliveryBody(deps.sql, owner, deliveryId);
    return { delivery: toDelivery(row), ...(body === undefined ? {} : { body }) };
  };
}

export function deliveryNotFound(): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "delivery_id",
    message: "there is no such delivery in this account and mode",
  });
}
