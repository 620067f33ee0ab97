/** Metrics of the event stream: whether it is there, and what is published. */
import { Counter, Gauge, type Registry } from "prom-client";

export type BusState = {
  isConnected: boolean;
  /** Whether the stream answered when it was looked at last; undefined before that. */
  isAvailable: boolean | undefined;
};

export function busMetrics(registry: Registry, stateNow: () => BusState) {
  const registers = [registry];
  new Gauge({
    name: "media_event_stream_connected",
    help: "1 while this process is connected to the event stream",
    registers,
    collect() {
      this.set(stateNow().isConnected ? 1 : 0);
    },
  });
  new Gauge({
    name: "media_event_stream_available",
    help: "1 while the stream answers, 0 while NATS has too few servers; absent without a connection",
    registers,
    collect() {
      const { isConnected, isAvailable } = stateNow();
      if (!isConnected || isAvailable === undefined) this.remove();
      else this.set(isAvailable ? 1 : 0);
    },
  });
  const made = new Counter({
    name: "media_event_stream_made_total",
    help: "How often this process found the stream missing and made it",
    registers,
  });
  const published = new Counter({
    name: "media_events_published_total",
    help: "Published events; dropped ones cost waiting time only",
    labelNames: ["subject", "outcome"] as const,
    registers,
  });
  return {
    /** The stream was missing on the servers and has been made. */
    streamMade: () => made.inc(),
    published: (subject: string, outcome: "published" | "dropped") =>
      published.inc({ subject, outcome }),
  };
}
