/** The public port while the gateway stops: not ready, but every request is answered. */
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { randomId } from "#runtime/id.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { sendByNode } from "../../../support/send-by-node.ts";
import { startHarness } from "../../harness.ts";
import { headersOf } from "../../requests.ts";

const LAME_DUCK_MS = 3_000;

it("says on every connection that it closes them and is not ready, then takes nothing new and answers what came before", async () => {
  const clock = manualClock();
  const harness = await startHarness({ clock, config: { lameDuckMs: LAME_DUCK_MS } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const alive = async () => {
    const { status, headers, isReused } = await sendByNode(`${harness.url}/healthz`, { agent });
    return [status, headers.connection, isReused];
  };
  await alive();
  expect(await alive()).toEqual([200, "keep-alive", true]);
  expect((await harness.send("/readyz")).status).toBe(200);
  const key = await harness.newKey();
  const body = JSON.stringify({ model: "gamma-image-3.0-pro", prompt: "a cat" });
  const sent = request(`${harness.url}/v1/images/generations`, {
    method: "POST",
    headers: { ...headersOf(key.secret), "Content-Length": body.length, Expect: "100-continue" },
  });
  sent.flushHeaders();
  await once(sent, "continue");
  const headers = headersOf(key.secret, { prefer: "wait=60" });
  const waits = harness.send(`/v1/videos/generations/${randomId("vgen")}`, { headers });
  await expect.poll(() => harness.calls.length).toBe(1);

  const halfSent = [1, 2, 3, 4].map(() => connect(Number(new URL(harness.url).port)));
  for (const socket of halfSent) socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");

  let hasStopped = false;
  const stopped = harness[Symbol.asyncDispose]().then(() => (hasStopped = true));
  expect(await alive()).toEqual([200, "close", true]);
  expect(await alive()).toEqual([200, "close", false]);
  const notReady = await harness.send("/readyz");
  expect([notReady.status, await notReady.json()]).toEqual([404, { status: "stopping" }]);
  clock.advance(LAME_DUCK_MS);
  await expect.poll(async () => (await harness.send("/v1/models")).status).toBe(503);
  expect((await harness.send("/readyz")).status).toBe(404);
  expect(await (await waits).json()).toMatchObject({ status: "pending" });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(200);
  for (let turn = 0; turn < 100; turn += 1) await endOfTurn();
  expect(hasStopped).toBe(false);
  for (const socket of halfSent) {
    socket.write("\r\n");
    expect(String(await once(socket, "data"))).toContain("Connection: close");
  }
  await stopped;
  await expect(alive()).rejects.toThrow("ECONNREFUSED");
});
