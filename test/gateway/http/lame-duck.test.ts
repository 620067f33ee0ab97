/** The public port while the gateway stops: not ready, but every request is answered. */
import { Agent, request } from "node:http";
import { expect, it } from "vitest";
import { startHarness } from "../harness.ts";

const LAME_DUCK_MS = 500;

type Answer = { status: number | undefined; connection: string | undefined; reused: boolean };

/** GET over the agent's connections; rejects when the connection is reset. */
function get(url: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) => {
      const { statusCode: status, headers } = response;
      const { connection } = headers;
      response
        .resume()
        .once("end", () => resolve({ status, connection, reused: sent.reusedSocket }));
    });
    sent.once("error", reject).end();
  });
}

it("answers requests on reused and on new connections, says that it closes them, and is not ready", async () => {
  const harness = await startHarness({ config: { lameDuckMs: LAME_DUCK_MS } });
  using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), {
    [Symbol.dispose]() {
      agent.destroy();
    },
  });
  const alive = () => get(`${harness.url}/healthz`, agent);
  await alive();
  expect(await alive()).toEqual({ status: 200, connection: "keep-alive", reused: true });
  expect((await harness.send("/readyz")).status).toBe(200);

  const stopped = harness[Symbol.asyncDispose]();
  const first = await alive();
  expect(first).toEqual({ status: 200, connection: "close", reused: true });
  expect(await alive()).toEqual({ status: 200, connection: "close", reused: false });
  const notReady = await harness.send("/readyz");
  expect([notReady.status, await notReady.json()]).toEqual([404, { status: "stopping" }]);
  await stopped;
  await expect(alive()).rejects.toThrow("ECONNREFUSED");
});
