/** A table of webhook deliveries, each linked to its attempts and payload. */
import { Anchor } from "@mantine/core";
import { Link } from "react-router";
import type { Delivery } from "../api/client.ts";
import { useScope } from "../data/scope.ts";
import type { Columns } from "./data-table.tsx";
import { answerOf } from "./delivery-words.ts";
import { DeliveryState, Note, RelativeTime, Words } from "./texts.tsx";

const countOf = ({ attempts }: Delivery) => attempts.length;

export const DELIVERY_COLUMNS: Columns<Delivery> = [
  { head: "Event", cell: (delivery) => <Event delivery={delivery} /> },
  { head: "Status", width: 220, from: 800, below: true, cell: stateOf },
  { head: "Attempts", width: 100, isRight: true, from: 800, cell: countOf },
  { head: "Last attempt", width: 140, isRight: true, from: 500, cell: lastOf },
];

function lastOf({ attempts }: Delivery) {
  const last = attempts.at(-1);
  return last ? <RelativeTime time={last.at} /> : "none yet";
}

function Event({ delivery }: { delivery: Delivery }) {
  const { to } = useScope();
  return (
    <>
      <Anchor component={Link} to={to(`settings/webhooks/${delivery.id}`)} size="sm" fw={550}>
        <Words text={delivery.type} />
      </Anchor>
      <Note truncate>{delivery.url}</Note>
    </>
  );
}

/** Where it stands, and how the receiver answered last. */
function stateOf(delivery: Delivery) {
  const last = delivery.attempts.at(-1);
  return (
    <>
      <DeliveryState delivery={delivery} />
      {last && <Note>{answerOf(last)}</Note>}
    </>
  );
}
