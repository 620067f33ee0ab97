/** What the operations on one webhook delivery share: its id, and 404 where it is nobody's or another's. */
import type { FastifyRequest } from "fastify";
import type { Delivery } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { modeOf } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { publicDelivery } from "../presenters/delivery.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";
import { answered, idIn } from "./operation.ts";

type Named = { accountId: string; mode: ReturnType<typeof modeOf>; deliveryId: string };

/** The public delivery that `call` answers with for the id in the path. */
export async function webhookDelivery(
  deps: Deps,
  request: FastifyRequest,
  call: (named: Named) => Promise<{ delivery?: Delivery | undefined }>,
) {
  const deliveryId = idIn(request);
  if (!deps.contract.matches("WebhookDeliveryId", deliveryId)) throw notFound();
  const { accountId, mode } = callerOf(request);
  try {
    const { delivery } = await call({ accountId, mode: modeOf(mode), deliveryId });
    return publicDelivery(answered(delivery));
  } catch (error) {
    throw reasonOf(error) === ErrorReason.NOT_FOUND ? notFound(error) : error;
  }
}

function notFound(cause?: unknown): Problem {
  return new Problem("delivery_not_found", { cause });
}
