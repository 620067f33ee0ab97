/** A table of webhook deliveries, each linked to its attempts and payload. */
import { Anchor, Checkbox, Table, Text } from "@mantine/core";
import type { ChangeEvent } from "react";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import { DeliveryState } from "./delivery-state.tsx";
import { lastAnswerOf } from "./delivery-words.ts";
import { EventType } from "./event-type.tsx";
import { OpeningRow } from "./opening-row.tsx";
import { RelativeTime } from "./relative-time.tsx";
import columns from "./columns.module.css";

type Delivery = Schemas["WebhookDelivery"];

/** Which rows are chosen; without it rows cannot be. */
type TableSelection = {
  selected: readonly Delivery[];
  change: (id: string, event: ChangeEvent<HTMLInputElement>) => void;
  setAll: (isSelected: boolean) => void;
};

type Props = {
  deliveries: readonly Delivery[];
  label: string;
  isShort?: boolean;
  selection?: TableSelection | undefined;
};

export function DeliveryTable({ deliveries, label, isShort = false, selection }: Props) {
  const { to } = useScope();
  const count = selection?.selected.length ?? 0;
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
            {selection && (
              <Table.Th w={44}>
                <Checkbox
                  size="sm"
                  aria-label="Select all shown"
                  checked={count >= deliveries.length}
                  indeterminate={count > 0 && count < deliveries.length}
                  onChange={(event) => selection.setAll(event.currentTarget.checked)}
                />
              </Table.Th>
            )}
            <Table.Th>Event</Table.Th>
            <Table.Th w={130} className={columns.from400}>
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
                {selection && (
                  <Table.Td>
                    <Checkbox
                      size="sm"
                      aria-label={`Select: ${type}, ${id}`}
                      checked={selection.selected.includes(delivery)}
                      onChange={(event) => selection.change(id, event)}
                    />
                  </Table.Td>
                )}
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
