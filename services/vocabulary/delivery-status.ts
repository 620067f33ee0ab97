/** The names of the statuses of webhook deliveries in rows, responses and lists. */
import { DeliveryStatus } from "#gen/proto/media/delivery/v1/delivery_pb.ts";

export type DeliveryStatusName = "pending" | "delivered" | "exhausted" | "disabled";

const STATUS: Record<DeliveryStatusName, DeliveryStatus> = {
  pending: DeliveryStatus.PENDING,
  delivered: DeliveryStatus.DELIVERED,
  exhausted: DeliveryStatus.EXHAUSTED,
  disabled: DeliveryStatus.DISABLED,
};
const NAMES = new Map(
  Object.entries(STATUS).map(([name, status]) => [status, name as DeliveryStatusName]),
);

/** Undefined for none, and for DELIVERY_STATUS_UNSPECIFIED. */
export function deliveryStatusName(
  status: DeliveryStatus | undefined,
): DeliveryStatusName | undefined {
  return status === undefined ? undefined : NAMES.get(status);
}

export function deliveryStatusOf(name: DeliveryStatusName): DeliveryStatus {
  return STATUS[name];
}
