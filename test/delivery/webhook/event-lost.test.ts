/** The stream is wiped between publish and consumption: generation hands the end over by RPC, and the webhook goes out. */
import { expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { parseCidrs } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import { routes } from "../../../services/delivery/routes.ts";
import { testDatabase } from "../../support/database.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import { startReceiver } from "../../support/receiver.ts";
import { memoryClient } from "../../support/rpc.ts";
import { senderBench } from "./fixtures.ts";
import { testDeps } from "../test-deps.ts";

it("W14, invariant 1: an event that the stream lost becomes its one webhook within 15 seconds all the same", async () => {
  await using database = await testDatabase("delivery");
  await using bench = await senderBench(database);
  await using receiver = await startReceiver();
  await using h = await generationHarness(bench.clock);
  const { handOver } = memoryClient(
    DeliveryService,
    routes(testDeps({ ...bench, generation: h.client, allowAddress: parseCidrs(["127.0.0.0/8"]) })),
  );
  h.deps.delivery.handOver = handOver;
  await h.client.createVideo({
    accountId: await h.account(1_000n),
    mode: Mode.LIVE,
    generationId: randomId("vgen"),
    model: "alpha-2.0",
    input: { prompt: "a cat", webhookUrl: receiver.url },
  });
  for (let waitedMs = 0; h.finished.length === 0 && waitedMs < 60_000; waitedMs += 1_000) {
    await h.drain();
    bench.clock.advance(1_000);
  }
  // What was published is in no stream any more: nothing is heard of it.
  const [lost] = h.finished;
  expect(lost?.eventId).toMatch(/^evt_/);

  const published = bench.clock.now().getTime();
  while (receiver.received.length === 0) {
    bench.clock.advance(1_000);
    expect(bench.clock.now().getTime() - published).toBeLessThanOrEqual(15_000);
    await h.drain();
    await bench.sendDue();
  }
  bench.clock.advance(60_000);
  await h.drain();
  await bench.sendDue();
  expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([lost?.eventId]);
});
