/** A bus with a listener, and a check that events are stored and reach it. */
import { create } from "@bufbuild/protobuf";
import { pino } from "pino";
import { Registry } from "prom-client";
import { expect } from "vitest";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { connectBus } from "#runtime/events/bus.ts";
import type { NatsConfig } from "#runtime/events/config.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { randomId } from "#runtime/id.ts";
import { holds } from "../../support/alert-rules.ts";
import { figure, scrape } from "../../support/scrape.ts";

/** For so long a probe is polled. A cluster takes up to 9 s to elect each leader that it has lost, the stream's too. */
export const SOON = { timeout: 60_000 };

export function busFixture(config: NatsConfig) {
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
  const registry = new Registry();
  const bus = connectBus(config, { clock: systemClock, log, metrics: registry });
  const heard: string[] = [];
  bus.listen(generationFinished, ({ eventId }) => void heard.push(eventId));
  /** One event, of which it returns the id. */
  const publish = (generation?: Generation) => {
    const eventId = randomId("evt");
    const event = { eventId, ...(generation && { generation }) };
    bus.publish(generationFinished, create(GenerationFinishedSchema, event));
    return eventId;
  };
  return {
    publish,
    /** Its metrics now. */
    scrape: () => scrape(registry),
    /** Everything that was logged, as JSON. */
    logged: () => lines.join(""),
    /** Whether `ops status` names the outage now. */
    isIn: async (outage: string) => holds(outage, await scrape(registry)),
    /** A condition: each call publishes one event more, until the stream is there and one has arrived. */
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

/** Where it does not in time, the failure shows what was logged. */
export const expectWorking = (bus: Pick<ReturnType<typeof busFixture>, "probe">) =>
  expect.poll(bus.probe(), SOON).toBe(true);
