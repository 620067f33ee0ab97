/** Who waits for whom while the stream is being made. */
import type { NatsConnection } from "nats";
import { expect, it } from "vitest";
import { sharedPerConnection } from "#runtime/events/stream.ts";

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
