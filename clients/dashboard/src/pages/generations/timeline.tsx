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
          color={COLORS[entry.type] ?? "iris"}
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

function describe(entry: Entry): string {
  const { type, tokens: amount = 0 } = entry;
  switch (type) {
    case "created":
      return "Accepted";
    case "reserved":
      return `${tokens(amount)} Tokens reserved`;
    case "started":
      return "Started";
    case "charged":
      return `${tokens(amount)} Tokens charged`;
    case "restored":
      return `${tokens(amount)} Tokens restored`;
    case "succeeded":
      return "Finished";
    case "failed":
      return "Failed";
    case "canceled":
      return "Canceled";
    case "webhook_sent":
      return `Webhook: ${answerOf(entry)}`;
  }
}
