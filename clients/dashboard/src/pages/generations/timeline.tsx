/** A generation's events, oldest first. */
import "@mantine/core/styles/Timeline.layer.css";
import { Text, Timeline } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { answerOf } from "../../components/delivery-words.ts";
import { dateTime, tokens } from "../../data/value-format.ts";

type Entry = Schemas["TimelineEntry"];

const COLORS: Partial<Record<Entry["type"], string>> = {
  succeeded: "teal",
  charged: "teal",
  failed: "red",
};

export function GenerationTimeline({ entries }: { entries: readonly Entry[] }) {
  return (
    <Timeline bulletSize={14} lineWidth={2} active={entries.length}>
      {entries.map((entry) => (
        <Timeline.Item
          key={`${entry.type} ${entry.at}`}
          color={COLORS[entry.type] ?? "indigo"}
          title={
            <Text size="sm" fw={550}>
              {describe(entry)}
            </Text>
          }
        >
          <Text size="xs" c="dimmed">
            <time dateTime={entry.at}>{dateTime(entry.at)}</time>
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
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
