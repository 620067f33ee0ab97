/** A bus with a listener, and a check that events are stored and reach it. */
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { Registry } from "prom-client";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { connectBus } from "#runtime/events/bus.ts";
import type { NatsConfig } from "#runtime/events/config.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { randomId } from "#runtime/id.ts";
import { figure, scrape, type Scrape } from "../../support/scrape.ts";

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
  /**
   * A condition to be polled: each call publishes one event more, until the stream is there and one has reached the
   * listener. Before, it is what was logged.
   */
  probe: () => () => Promise<true | string>;
};

export function busFixture(config: NatsConfig): BusFixture {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  const registry = new Registry();
  const bus = connectBus(config, { clock: systemClock, log, metrics: registry });
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
      return async () => {
        published.add(publish());
        const isStored = figure(await scrape(registry), "media_event_stream_available") === 1;
        return (isStored && heard.some((id) => published.has(id))) || lines.join("");
      };
    },
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  };
}
