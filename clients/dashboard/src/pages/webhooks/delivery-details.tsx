/** What identifies a delivery, as names and values. */
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { exact } from "../../components/numbers.ts";
import { StatusBadge } from "../../components/status-badge.tsx";

export function deliveryFacts(
  delivery: Schemas["WebhookDelivery"],
  to: (page: string) => string,
): { name: string; value: ReactNode }[] {
  const { generation_id: generationId, next_attempt_at: next } = delivery;
  return [
    { name: "Status", value: <StatusBadge status={delivery.status} /> },
    { name: "Event", value: delivery.type },
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
    ...(next ? [{ name: "Next attempt", value: exact(next) }] : []),
  ];
}
