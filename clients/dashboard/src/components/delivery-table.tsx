/** A table of webhook deliveries, each linked to its attempts and payload. */
import { Anchor, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Schemas } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import type { Selection } from "../data/use-selection.ts";
import { Below, DataTable } from "./data-table.tsx";
import { DeliveryState, EventType, RelativeTime } from "./texts.tsx";
import { lastAnswerOf } from "./delivery-words.ts";

type Delivery = Schemas["WebhookDelivery"];

type Props = {
  deliveries: readonly Delivery[];
  label: string;
  isShort?: boolean;
  selection?: Selection<Delivery> | undefined;
};

export function DeliveryTable({ deliveries, label, isShort = false, selection }: Props) {
  if (deliveries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No webhook was requested, or none is due yet.
      </Text>
    );
  }
  return (
    <DataTable
      label={label}
      rows={deliveries}
      keyOf={({ id }) => id}
      isOpening
      selection={selection && { ...selection, nameOf: ({ type, id }) => `${type}, ${id}` }}
      columns={[
        { head: "Event", cell: (delivery) => <Event delivery={delivery} /> },
        {
          head: "Status",
          width: 220,
          from: 400,
          cell: (delivery) => <State delivery={delivery} />,
        },
        !isShort && {
          head: "Attempts",
          width: 100,
          isRight: true,
          from: 800,
          cell: ({ attempts }) => attempts.length,
        },
        !isShort && {
          head: "Last attempt",
          width: 140,
          isRight: true,
          from: 620,
          cell: ({ attempts }) => {
            const last = attempts.at(-1);
            return last ? <RelativeTime time={last.at} /> : "none yet";
          },
        },
      ]}
    />
  );
}

function Event({ delivery }: { delivery: Delivery }) {
  const { to } = useScope();
  return (
    <>
      <Anchor component={Link} to={to(`settings/webhooks/${delivery.id}`)} size="sm" fw={550}>
        <EventType type={delivery.type} />
      </Anchor>
      <Text size="xs" c="dimmed" truncate>
        {delivery.url}
      </Text>
      <Below width={400}>
        <State delivery={delivery} />
      </Below>
    </>
  );
}

/** Where it stands, and how the receiver answered last. */
function State({ delivery }: { delivery: Delivery }) {
  const answer = lastAnswerOf(delivery);
  return (
    <>
      <DeliveryState delivery={delivery} />
      {answer && (
        <Text size="xs" c="dimmed">
          {answer}
        </Text>
      )}
    </>
  );
}
