/** Making the stream: who waits for whom, and that it is reported. */
import type { NatsConnection } from "nats";
import { expect, it } from "vitest";
import { sharedPerConnection, streamMaker } from "#runtime/events/bus.ts";

it("makes a stream once for all that wait on one connection, and not later for a connection that hangs", async () => {
  const [dead, alive] = [{}, {}] as [NatsConnection, NatsConnection];
  const begun: NatsConnection[] = [];
  const ensure = sharedPerConnection((nats) => {
    begun.push(nats);
    return nats === dead ? new Promise(() => {}) : Promise.resolve();
  });
  void ensure(dead);
  void ensure(dead);
  await ensure(alive);
  expect(begun).toEqual([dead, alive]);
  await ensure(alive);
  expect(begun).toEqual([dead, alive, alive]);
});

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
