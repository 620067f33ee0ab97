/** An event that is lost between publication and consumption: generation delivers the end by RPC instead. */
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { parseCidrs } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import { routes } from "../../../services/delivery/rpc-routes.ts";
import { testDatabase } from "../../support/database.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import { startReceiver } from "../../support/receiver.ts";
import { memoryClient } from "../../support/rpc.ts";
import { senderFixture } from "./sender-fixture.ts";
import { testDeps } from "../test-deps.ts";

describe("an event that the stream lost", () => {
  it("still becomes one webhook within 15 seconds", async () => {
    await using database = await testDatabase("delivery");
    await using fixture = await senderFixture(database);
    await using receiver = await startReceiver();
    await using h = await generationHarness(fixture.clock);
    const { acceptEnd } = memoryClient(
      DeliveryService,
      routes(
        testDeps({ ...fixture, generation: h.client, allowAddress: parseCidrs(["127.0.0.0/8"]) }),
      ),
    );
    h.deps.delivery.acceptEnd = acceptEnd;
    await h.client.createVideo({
      accountId: await h.account(1_000n),
      mode: Mode.LIVE,
      generationId: randomId("vgen"),
      model: "alpha-2.0",
      input: { prompt: "a cat", webhookUrl: receiver.url },
    });
    for (let waitedMs = 0; h.finished.length === 0 && waitedMs < 60_000; waitedMs += 1_000) {
      await h.drain();
      fixture.clock.advance(1_000);
    }
    // The published event is dropped: delivery never receives it.
    const [lost] = h.finished;
    expect(lost?.eventId).toMatch(/^evt_/);

    const published = fixture.clock.now().getTime();
    while (receiver.received.length === 0) {
      fixture.clock.advance(1_000);
      expect(fixture.clock.now().getTime() - published).toBeLessThanOrEqual(15_000);
      await h.drain();
      await fixture.sendDue();
    }
    fixture.clock.advance(60_000);
    await h.drain();
    await fixture.sendDue();
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([lost?.eventId]);
  });
});
