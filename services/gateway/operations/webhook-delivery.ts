/** Shared by the operations on one webhook delivery: the id in the path, and 404 for any not of the caller. */
import type { FastifyRequest } from "fastify";
import type { Delivery } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { presentDelivery } from "../presenters/webhook-delivery.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";
import { required, pathId } from "./operation.ts";

type DeliveryRef = { accountId: string; mode: ReturnType<typeof modeOf>; deliveryId: string };

/** The delivery that `call` returns for the id in the path, presented. */
export async function webhookDelivery(
  deps: Deps,
  request: FastifyRequest,
  call: (ref: DeliveryRef) => Promise<{ delivery?: Delivery | undefined }>,
) {
  const deliveryId = pathId(request);
  if (!deps.contract.matches("WebhookDeliveryId", deliveryId)) throw notFound();
  const { accountId, mode } = callerOf(request);
  try {
    const { delivery } = await call({ accountId, mode: modeOf(mode), deliveryId });
    return presentDelivery(required(delivery));
  } catch (error) {
    throw reasonOf(error) === ErrorReason.NOT_FOUND ? notFound(error) : error;
  }
}

function notFound(cause?: unknown): Problem {
  return new Problem("delivery_not_found", { cause });
}
