/** kill -9 of a sender process: no delivery is lost, and one that may have been sent is sent again with the same id. */
import { describe, expect, it } from "vitest";
import { parseCidrs } from "#runtime/address.ts";
import { systemClock } from "#runtime/clock.ts";
import { createGuardedAgent } from "../../../services/delivery/egress/guarded-agent.ts";
import { webhookSender } from "../../../services/delivery/webhook/sender.ts";
import { startHttp } from "../../support/http-server.ts";
import { startProcess } from "../../support/process.ts";
import { deliveryDatabase, senderFixture } from "./sender-fixture.ts";

/** The length of a lease, and a second. */
const LATER_MS = 61_000;
const database = deliveryDatabase();

/** A receiver that records the ids of its requests, and does not respond until `speak` is called. */
async function startSilentReceiver() {
  const ids: unknown[] = [];
  let isSilent = true;
  const first = Promise.withResolvers<void>();
  const server = await startHttp((request, response) => {
    ids.push(request.headers["webhook-id"]);
    first.resolve();
    if (!isSilent) response.end();
  });
  return {
    url: `http://hooks.example:${server.port}/hook`,
    ids,
    first: first.promise,
    speak: () => (isSilent = false),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const guardedAgent = () => {
  const agent = createGuardedAgent({
    allow: parseCidrs(["127.0.0.0/8"]),
    plainHttp: true,
    resolve: () => Promise.resolve([{ address: "127.0.0.1", family: 4 }]),
  });
  return Object.assign(agent, { [Symbol.asyncDispose]: () => agent.destroy() });
};

describe("a sender that is killed", () => {
  it.each([
    ["before it has sent", "silent", 1],
    ["after it has sent and before it recorded the outcome", "127.0.0.1", 2],
  ])(
    "%s leaves an attempt with an unknown outcome, and the webhook is sent again with its id",
    async (_, dns, count) => {
      await using fixture = await senderFixture(database());
      await using receiver = await startSilentReceiver();
      const delivery = await fixture.deliver(receiver.url, { at: systemClock.now() });
      const env = { DATABASE_URL: database().url, DNS: dns };
      await using killed = startProcess("test/delivery/webhook/sender-process.ts", env);
      await (dns === "silent" ? killed.says("address requested") : receiver.first);
      await killed.end("SIGKILL");
      const unknown = { number: 1, statusCode: null, error: null };
      expect(await fixture.stateOf(delivery)).toMatchObject({ status: "pending", attempts: [] });
      receiver.speak();

      fixture.clock.advance(systemClock.now().getTime() + LATER_MS - fixture.clock.now().getTime());
      await using agent = guardedAgent();
      await fixture.sendDue(webhookSender({ ...fixture, agent }));
      expect(receiver.ids).toEqual(Array.from({ length: count }, () => delivery.eventId));
      expect(await fixture.stateOf(delivery)).toMatchObject({
        status: "delivered",
        attemptCount: 1,
        attempts: [unknown, { number: 2, statusCode: 200 }],
      });
    },
  );
});
