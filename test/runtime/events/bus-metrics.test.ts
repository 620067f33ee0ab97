/** Metrics of the event stream while it cannot be asked. */
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { busMetrics, type BusState } from "#runtime/events/bus.ts";
import { scrape } from "../../support/scrape.ts";

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
