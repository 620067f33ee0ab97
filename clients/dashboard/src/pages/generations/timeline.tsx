/** A generation's events, oldest first. */
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { answerOf } from "../../components/delivery-words.ts";
import { Note } from "../../components/texts.tsx";
import { dateTime, tokens } from "../../data/value-format.ts";

type Entry = Schemas["TimelineEntry"];

export function GenerationTimeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <DataTable
      label="Timeline"
      rows={entries}
      keyOf={({ type, at }) => `${type} ${at}`}
      columns={[
        { head: "Event", cell: describe },
        { head: "Time", cell: ({ at }) => <Note>{dateTime(at)}</Note> },
      ]}
    />
  );
}

/** Before them stand their Tokens, where they have some. */
const WORDS: Record<Entry["type"], string> = {
  created: "Accepted",
  reserved: "Tokens reserved",
  started: "Started",
  charged: "Tokens charged",
  restored: "Tokens restored",
  succeeded: "Finished",
  failed: "Failed",
  canceled: "Canceled",
  webhook_sent: "Webhook:",
};

function describe(entry: Entry): string {
  const { type, tokens: amount } = entry;
  if (type === "webhook_sent") return `${WORDS[type]} ${answerOf(entry)}`;
  return amount === undefined ? WORDS[type] : `${tokens(amount)} ${WORDS[type]}`;
}
