/** What a scrape of /metrics gets. */
import { Gauge, Registry } from "prom-client";
import { expect, it } from "vitest";
import { serveRpc } from "../../support/rpc-server.ts";

it("answers 500 when a metric cannot be collected, and 200 when all can be again", async () => {
  const metrics = new Registry();
  let isBroken = true;
  const collect = () => {
    if (isBroken) throw new Error("broken");
  };
  new Gauge({ name: "one", help: "one", registers: [metrics], collect });
  await using server = await serveRpc(() => {}, { metrics });
  const statusOf = async () => (await fetch(`${server.url}/metrics`)).status;
  expect(await statusOf()).toBe(500);
  isBroken = false;
  expect(await statusOf()).toBe(200);
});
