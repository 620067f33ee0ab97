/** A table of webhook deliveries, each linked to its attempts and payload. */
import { Anchor, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { DeliveryState } from "./delivery-state.tsx";
import { EventType } from "./event-type.tsx";
import { RelativeTime } from "./relative-time.tsx";

type Props = {
  deliveries: readonly Schemas["WebhookDelivery"][];
  label: string;
  isShort?: boolean;
};

export function DeliveryTable({ deliveries, label, isShort = false }: Props) {
  const { to } = useScope();
  if (deliveries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No webhook was requested, or none is due yet.
      </Text>
    );
  }
  return (
    <Table aria-label={label} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Event</Table.Th>
          <Table.Th w={130}>Status</Table.Th>
          {!isShort && (
            <>
              <Table.Th w={100} ta="right" visibleFrom="sm">
                Attempts
              </Table.Th>
              <Table.Th w={140} ta="right" visibleFrom="sm">
                Last attempt
              </Table.Th>
            </>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {deliveries.map((delivery) => {
          const { id, type, url, attempts } = delivery;
          const last = attempts.at(-1);
          return (
            <Table.Tr key={id}>
              <Table.Td>
                <Anchor
                  component={Link}
                  to={to(`settings/webhooks/${id}`)}
                  size="sm"
                  fw={550}
                  style={{ overflowWrap: "anywhere" }}
                >
                  <EventType type={type} />
                </Anchor>
                <Text size="xs" c="dimmed" truncate>
                  {url}
                </Text>
              </Table.Td>
              <Table.Td>
                <DeliveryState delivery={delivery} />
              </Table.Td>
              {!isShort && (
                <>
                  <Table.Td ta="right" className="number" visibleFrom="sm">
                    {attempts.length}
                  </Table.Td>
                  <Table.Td ta="right" visibleFrom="sm">
                    {last ? <RelativeTime time={last.at} /> : "none yet"}
                  </Table.Td>
                </>
              )}
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}
