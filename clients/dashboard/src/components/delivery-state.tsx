/** Where a delivery stands, in words: also whether its attempts fail, and when the next one is. */
import { Group, Text } from "@mantine/core";
import { StatusBadge } from "./status-badge.tsx";
import { isFailing, detailOf, type DeliveryFacts } from "./delivery-words.ts";

export function DeliveryState({ delivery }: { delivery: DeliveryFacts }) {
  const more = detailOf(delivery, Date.now());
  return (
    <Group gap={6} component="span">
      <StatusBadge status={isFailing(delivery) ? "failing" : delivery.status} />
      {more && (
        <Text span size="xs" c="dimmed">
          {more}
        </Text>
      )}
    </Group>
  );
}
