/** Metrics of the event stream: whether it is there, what is published and handled, and how far consumers are behind. */
import { Counter, Gauge } from "prom-client";
import type { Registry } from "prom-client";

/** Hears of what a bus does. */
export type BusObserver = {
  /** Called once, with what tells whether the bus is connected from then on. */
  opened: (isConnected: () => boolean) => void;
  /** The stream was missing on the servers and has been made. */
  streamMade: () => void;
  published: (subject: string, outcome: "published" | "dropped") => void;
  handled: (subject: string, outcome: "done" | "retry" | "drop") => void;
  /** How many stored events the consumer has not been given yet. */
  pending: (consumer: string, count: number) => void;
};

export function busMetrics(registry: Registry): BusObserver {
  const registers = [registry];
  let isConnectedNow = () => false;
  new Gauge({
    name: "media_event_stream_connected",
    help: "1 while this process is connected to the event stream",
    registers,
    collect() {
      this.set(isConnectedNow() ? 1 : 0);
    },
  });
  const made = new Counter({
    name: "media_event_stream_made_total",
    help: "How often this process found the stream missing and made it; after the first start it was lost",
    registers,
  });
  const published = new Counter({
    name: "media_events_published_total",
    help: "Events by subject and outcome; dropped ones cost waiting time only",
    labelNames: ["subject", "outcome"] as const,
    registers,
  });
  const handled = new Counter({
    name: "media_events_handled_total",
    help: "Stored events that this process handled, by subject and outcome",
    labelNames: ["subject", "outcome"] as const,
    registers,
  });
  const pending = new Gauge({
    name: "media_event_consumer_pending",
    help: "Stored events that a durable consumer has not been given yet",
    labelNames: ["consumer"] as const,
    registers,
  });
  return {
    opened: (isConnected) => void (isConnectedNow = isConnected),
    streamMade: () => made.inc(),
    published: (subject, outcome) => published.inc({ subject, outcome }),
    handled: (subject, outcome) => handled.inc({ subject, outcome }),
    pending: (consumer, count) => pending.set({ consumer }, count),
  };
}
