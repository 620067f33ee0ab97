/** A bus with a listener, and a check that events are stored and reach it. */
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { Registry } from "prom-client";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { connectBus } from "#runtime/events/bus.ts";
import { busMetrics, type BusObserver } from "#runtime/events/bus-metrics.ts";
import type { NatsConfig } from "#runtime/events/config.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { randomId } from "#runtime/id.ts";
import { scrape, type Scrape } from "../../support/scrape.ts";

/**
 * How long a probe is polled at most. The servers of a cluster take up to 9 s to elect each leader they have lost: of
 * JetStream, then of the stream.
 */
export const SOON = { timeout: 60_000 };

export type BusFixture = AsyncDisposable & {
  /** Publishes one event and returns its id. */
  publish: () => string;
  /** Its metrics now. */
  scrape: () => Promise<Scrape>;
  /** Everything that was logged, as JSON. */
  logged: () => string;
  /** A condition to be polled: each call publishes one event more, until one was stored and one reached the listener. Before, it is what was logged. */
  probe: () => () => true | string;
};

export function busFixture(config: NatsConfig): BusFixture {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  const registry = new Registry();
  const metrics = busMetrics(registry);
  let stored = 0;
  const observer: BusObserver = {
    ...metrics,
    published: (subject, outcome) => {
      if (outcome === "published") stored += 1;
      metrics.published(subject, outcome);
    },
  };
  const bus = connectBus(config, { clock: systemClock, log, observer });
  const heard: string[] = [];
  bus.listen(generationFinished, ({ eventId }) => void heard.push(eventId));
  const publish = () => {
    const eventId = randomId("evt");
    bus.publish(generationFinished, create(GenerationFinishedSchema, { eventId }));
    return eventId;
  };
  return {
    publish,
    scrape: () => scrape(registry),
    logged: () => lines.join(""),
    probe() {
      const published = new Set<string>();
      const before = stored;
      return () => {
        published.add(publish());
        const isThrough = stored > before && heard.some((id) => published.has(id));
        return isThrough || lines.join("");
      };
    },
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  };
}
