/** A table of webhook deliveries, each linked to its attempts and payload. */
import { Anchor, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { DeliveryState } from "./delivery-state.tsx";
import { lastAnswerOf } from "./delivery-words.ts";
import { EventType } from "./event-type.tsx";
import { OpeningRow } from "./opening-row.tsx";
import { SelectAllCell, SelectCell, type TableSelection } from "./select-cells.tsx";
import { RelativeTime } from "./relative-time.tsx";
import columns from "./columns.module.css";

type Delivery = Schemas["WebhookDelivery"];

type Props = {
  deliveries: readonly Delivery[];
  label: string;
  isShort?: boolean;
  selection?: TableSelection<Delivery> | undefined;
};

export function DeliveryTable({ deliveries, label, isShort = false, selection }: Props) {
  const { to } = useScope();
  if (deliveries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No webhook was requested, or none is due yet.
      </Text>
    );
  }
  return (
    <div className={columns.table}>
      <Table aria-label={label} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <SelectAllCell shown={deliveries} selection={selection} />
            <Table.Th>Event</Table.Th>
            <Table.Th w={220} className={columns.from400}>
              Status
            </Table.Th>
            {!isShort && (
              <>
                <Table.Th w={100} ta="right" className={columns.from800}>
                  Attempts
                </Table.Th>
                <Table.Th w={140} ta="right" className={columns.from620}>
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
              <OpeningRow key={id}>
                <SelectCell entry={delivery} label={`${type}, ${id}`} selection={selection} />
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
                  <div className={columns.below400}>
                    <State delivery={delivery} />
                  </div>
                </Table.Td>
                <Table.Td className={columns.from400}>
                  <State delivery={delivery} />
                </Table.Td>
                {!isShort && (
                  <>
                    <Table.Td ta="right" className={`number ${columns.from800}`}>
                      {attempts.length}
                    </Table.Td>
                    <Table.Td ta="right" className={columns.from620}>
                      {last ? <RelativeTime time={last.at} /> : "none yet"}
                    </Table.Td>
                  </>
                )}
              </OpeningRow>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Where it stands, and how the receiver answered last. */
function State({ delivery }: { delivery: Delivery }) {
  const answer = lastAnswerOf(delivery);
  return (
    <>
      <DeliveryState delivery={delivery} />
      {answer && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {answer}
        </Text>
      )}
    </>
  );
}
