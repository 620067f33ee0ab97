/** Making the stream is reported. */
import type { NatsConnection } from "nats";
import { expect, it } from "vitest";
import { streamMaker } from "#runtime/events/bus.ts";

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
