/** The properties of a delivery for its detail list. */
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import type { Detail } from "../../components/detail-list.tsx";
import { DeliveryState } from "../../components/delivery-state.tsx";
import { EventType } from "../../components/event-type.tsx";
import { dateTime } from "../../components/value-format.ts";

export function deliveryDetails(
  delivery: Schemas["WebhookDelivery"],
  to: (page: string) => string,
): Detail[] {
  const { generation_id: generationId, next_attempt_at: next } = delivery;
  return [
    { name: "Status", value: <DeliveryState delivery={delivery} /> },
    { name: "Event", value: <EventType type={delivery.type} /> },
    { name: "webhook-id", value: <span className="mono">{delivery.event_id}</span> },
    { name: "URL", value: delivery.url },
    ...(generationId
      ? [
          {
            name: "Generation",
            value: (
              <Anchor component={Link} to={to(`generations/${generationId}`)} className="mono">
                {generationId}
              </Anchor>
            ),
          },
        ]
      : []),
    ...(next ? [{ name: "Next attempt", value: dateTime(next) }] : []),
  ];
}
