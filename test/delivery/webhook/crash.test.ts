/** kill -9 of a real sender: nothing is lost, and what may have been sent is sent again under the same id. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { testDatabase } from "../../support/database.ts";
import { startHttp } from "../../support/http-server.ts";
import { startProcess } from "../../support/process.ts";
import { senderBench } from "./fixtures.ts";

/** As much as a lease lasts, and a second. */
const LATER_MS = "61000";
let database: Awaited<ReturnType<typeof testDatabase>>;

beforeAll(async () => {
  database = await testDatabase("delivery");
});
afterAll(() => database[Symbol.asyncDispose]());

/** A receiver that tells the id of what comes, and answers nothing while it is silent. */
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

const senderProcess = (env: Record<string, string>) =>
  startProcess("test/delivery/webhook/sender-process.ts", { DATABASE_URL: database.url, ...env });

describe("a sender that is killed", () => {
  it.each([
    ["before it has sent", "silent", 1],
    ["after it has sent, before it wrote what came of it", "127.0.0.1", 2],
  ])(
    "W13: %s leaves the attempt unknown, and the webhook goes out under its one id",
    async (_, dns, count) => {
      await using bench = await senderBench(database);
      await using receiver = await startSilentReceiver();
      const delivery = await bench.deliver(receiver.url, { at: systemClock.now() });
      await using killed = senderProcess({ DNS: dns });
      await (dns === "silent" ? killed.says("asked for the address") : receiver.first);
      await killed.end("SIGKILL");
      const unknown = { number: 1, status_code: null, error: null };
      expect(await bench.stateOf(delivery)).toMatchObject({ status: "pending", attempts: [] });
      receiver.speak();

      await using next = senderProcess({ CLOCK_AHEAD_MS: LATER_MS });
      await next.says("webhook attempt");
      await next.end("SIGKILL");
      expect(receiver.ids).toEqual(Array.from({ length: count }, () => delivery.eventId));
      expect(await bench.stateOf(delivery)).toMatchObject({
        status: "delivered",
        attempt_count: 1,
        attempts: [unknown, { number: 2, status_code: 200 }],
      });
    },
  );
});
