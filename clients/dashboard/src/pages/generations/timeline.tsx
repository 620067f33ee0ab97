/** What happened to a generation, oldest first. */
import { Text, Timeline } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { exact, tokens } from "../../components/numbers.ts";

type Entry = Schemas["TimelineEntry"];

const COLORS: Partial<Record<Entry["type"], string>> = {
  succeeded: "teal",
  charged: "teal",
  failed: "red",
};

export function TimelineOf({ entries }: { entries: readonly Entry[] }) {
  return (
    <Timeline bulletSize={14} lineWidth={2} active={entries.length}>
      {entries.map((entry) => (
        <Timeline.Item
          key={`${entry.type} ${entry.at}`}
          color={COLORS[entry.type] ?? "iris"}
          title={
            <Text size="sm" fw={550}>
              {words(entry)}
            </Text>
          }
        >
          <Text size="xs" c="dimmed">
            <time dateTime={entry.at}>{exact(entry.at)}</time>
          </Text>
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

function words({ type, tokens: amount = 0, status_code: status }: Entry): string {
  switch (type) {
    case "created":
      return "Accepted";
    case "reserved":
      return `${tokens(amount)} Tokens reserved`;
    case "started":
      return "Taken up";
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
      return status === undefined ? "Webhook sent, no answer" : `Webhook sent, answered ${status}`;
  }
}
