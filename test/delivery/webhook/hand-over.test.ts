/** How an end reaches delivery, whatever is lost on the way. */
import { Code, ConnectError } from "@connectrpc/connect";
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

describe("an end whose acceptance generation did not hear of", () => {
  it("is handed over again within a second, and becomes one webhook", async () => {
    await using database = await testDatabase("delivery");
    await using fixture = await senderFixture(database);
    await using receiver = await startReceiver();
    // Ahead of Postgres's own clock, which says until when a generation may be inserted.
    fixture.clock.advance(Date.parse("2126-01-01") - fixture.clock.now().getTime());
    await using h = await generationHarness(fixture.clock);
    const { acceptEnd } = memoryClient(
      DeliveryService,
      routes(testDeps({ ...fixture, allowAddress: parseCidrs(["127.0.0.0/8"]) })),
    );
    let calls = 0;
    h.deps.delivery.acceptEnd = async (...call) => {
      const answer = await acceptEnd(...call);
      if ((calls += 1) === 1) throw new ConnectError("the answer was lost", Code.Unavailable);
      return answer;
    };
    await h.client.createVideo({
      accountId: await h.account(1_000n),
      mode: Mode.LIVE,
      generationId: randomId("vgen"),
      model: "alpha-2.0",
      input: { prompt: "a cat", webhookUrl: receiver.url },
    });
    for (let waitedMs = 0; calls === 0 && waitedMs < 60_000; waitedMs += 1_000) {
      await h.drain();
      fixture.clock.advance(1_000);
    }
    await h.drain();
    expect(calls).toBe(2);
    await fixture.sendDue();
    fixture.clock.advance(60_000);
    await h.drain();
    await fixture.sendDue();
    expect(calls).toBe(2);
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([
      h.finished[0]?.eventId,
    ]);
  });
});
