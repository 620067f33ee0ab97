/** Making the stream is reported, and its metrics while it cannot be asked. */
import type { NatsConnection } from "nats";
import { Registry } from "prom-client";
import { busMetrics, streamMaker, type BusState } from "#runtime/events/bus.ts";
import { scrape } from "../../support/scrape.ts";

it("reports once a stream that was missing, also where the servers made it and answered too late", async () => {
  const stored: object[] = [];
  let reports = 0;
  const streams = {
    info: () =>
      stored.length === 0
        ? Promise.reject(new Error("stream not found"))
        : Promise.resolve({ config: stored[0] }),
    add: (config: object) => {
      stored.push(config);
      return Promise.reject(new Error("TIMEOUT"));
    },
  };
  const nats = { jetstreamManager: async () => ({ streams }) } as unknown as NatsConnection;
  const ensure = streamMaker(1, () => (reports += 1));
  await expect(ensure(nats)).rejects.toThrow("TIMEOUT");
  expect(reports).toBe(0);
  await ensure(nats);
  await ensure(nats);
  expect(reports).toBe(1);
});

it("what the stream said last is not shown while it cannot be asked", async () => {
  const registry = new Registry();
  let state: BusState = { isConnected: true, isAvailable: true };
  busMetrics(registry, () => state);
  const shown = async () => {
    const { samples } = await scrape(registry);
    const named = samples.filter(({ name }) => /available|connected/.test(name));
    return Object.fromEntries(named.map(({ name, value }) => [name, value]));
  };
  expect(await shown()).toEqual({
    media_event_stream_connected: 1,
    media_event_stream_available: 1,
  });
  state = { isConnected: true, isAvailable: false };
  expect(await shown()).toEqual({
    media_event_stream_connected: 1,
    media_event_stream_available: 0,
  });
  state = { isConnected: false, isAvailable: true };
  expect(await shown()).toEqual({ media_event_stream_connected: 0 });
});
