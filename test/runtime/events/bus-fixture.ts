/** A bus with a listener and a durable consumer, and a check that events reach both. */
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { Registry } from "prom-client";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { connectBus } from "#runtime/events/bus.ts";
import { busMetrics } from "#runtime/events/bus-metrics.ts";
import type { NatsConfig } from "#runtime/events/config.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { randomId } from "#runtime/id.ts";
import type { Scrape } from "../../support/promql.ts";
import { scrape } from "../../support/scrape.ts";

export const CONSUMER = "test_consumer";

/**
 * How long a probe is polled at most. The servers of a cluster take up to 9 s to elect each leader they have lost: of
 * JetStream, then of the stream, then of the consumer.
 */
export const SOON = { timeout: 60_000 };

export type BusFixture = AsyncDisposable & {
  /** Publishes one event and returns its id. */
  publish: () => string;
  /** The ids of the events that the listener and the consumer had. */
  heard: string[];
  consumed: string[];
  /** Its metrics now. */
  scrape: () => Promise<Scrape>;
  /** Everything that was logged, as JSON. */
  logged: () => string;
  /** A condition to be polled: each call publishes one event more, until one reached the listener and one the consumer. */
  probe: () => () => boolean;
};

export function busFixture(config: NatsConfig): BusFixture {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  const registry = new Registry();
  const observer = busMetrics(registry);
  const bus = connectBus(config, { clock: systemClock, log, observer });
  const heard: string[] = [];
  const consumed: string[] = [];
  bus.listen(generationFinished, ({ eventId }) => void heard.push(eventId));
  bus.consume(CONSUMER, generationFinished, async ({ eventId }) => {
    consumed.push(eventId);
    return { kind: "done" };
  });
  const publish = () => {
    const eventId = randomId("evt");
    bus.publish(generationFinished, create(GenerationFinishedSchema, { eventId }));
    return eventId;
  };
  return {
    publish,
    heard,
    consumed,
    scrape: () => scrape(registry),
    logged: () => lines.join(""),
    probe() {
      const published = new Set<string>();
      const isIn = (seen: string[]) => seen.some((id) => published.has(id));
      return () => {
        published.add(publish());
        return isIn(heard) && isIn(consumed);
      };
    },
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  };
}
