/** The names of the statuses of webhook deliveries in rows, responses and lists. */
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { namesOf } from "./names.ts";

export type DeliveryStatusName = "pending" | "delivered" | "exhausted" | "disabled";

export const { nameOf: deliveryStatusName, valueOf: deliveryStatusOf } = namesOf<
  DeliveryStatusName,
  DeliveryStatus
>({
  pending: DeliveryStatus.PENDING,
  delivered: DeliveryStatus.DELIVERED,
  exhausted: DeliveryStatus.EXHAUSTED,
  disabled: DeliveryStatus.DISABLED,
});
