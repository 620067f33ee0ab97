/** The public port while the gateway stops: not ready, but every request is answered. */
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { manualClock } from "../../../support/manual-clock.ts";
import { sendByNode } from "../../../support/send-by-node.ts";
import { startHarness } from "../../harness.ts";
import { headersOf } from "../../requests.ts";

const LAME_DUCK_MS = 3_000;

it("answers requests on reused and on new connections, says that it closes them, and is not ready", async () => {
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

  const stopped = harness[Symbol.asyncDispose]();
  expect(await alive()).toEqual([200, "close", true]);
  expect(await alive()).toEqual([200, "close", false]);
  const notReady = await harness.send("/readyz");
  expect([notReady.status, await notReady.json()]).toEqual([404, { status: "stopping" }]);
  clock.advance(LAME_DUCK_MS);
  await stopped;
  await expect(alive()).rejects.toThrow("ECONNREFUSED");
});

it("keeps the port open until what came before is answered, and takes nothing new", async () => {
  const harness = await startHarness();
  const key = await harness.newKey();
  const body = JSON.stringify({ model: "gamma-image-3.0-pro", prompt: "a cat" });
  const sent = request(`${harness.url}/v1/images/generations`, {
    method: "POST",
    headers: { ...headersOf(key.secret), "Content-Length": body.length, Expect: "100-continue" },
  });
  sent.flushHeaders();
  await once(sent, "continue");

  const stopped = harness[Symbol.asyncDispose]();
  await expect.poll(async () => (await harness.send("/v1/models")).status).toBe(503);
  expect((await harness.send("/readyz")).status).toBe(404);
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(200);
  await stopped;
  await expect(harness.send("/readyz")).rejects.toThrow("fetch failed");
});
