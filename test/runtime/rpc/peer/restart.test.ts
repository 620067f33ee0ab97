/** Calls while a peer restarts gracefully. */
import { createClient } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { overHttp } from "#runtime/rpc/client.ts";
import { startRpcServer } from "#runtime/rpc/server.ts";

const RESTARTS = 20;

it("a peer that restarts gracefully ends no process that calls it", async () => {
  const start = (port: number) =>
    startRpcServer(
      { host: "127.0.0.1", port, drainMs: 1_000 },
      (router) => router.service(BillingService, { getBalance: () => ({}) }),
      [],
      async () => true,
      new Registry(),
    );
  let server = await start(0);
  const port = Number(new URL(server.url).port);
  using http = overHttp(server.url);
  const client = createClient(BillingService, http.connect([]));
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.prependListener("uncaughtException", note);
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    await client.getBalance({}).catch(() => undefined);
    const stopped = server[Symbol.asyncDispose]();
    // The call begins a little later each time, so that one meets the end of the session half way.
    for (let turn = 0; turn < restart % 10; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.getBalance({}).catch(() => undefined);
    await stopped;
    server = await start(port);
  }
  process.off("uncaughtException", note);
  await server[Symbol.asyncDispose]();
  expect(uncaught).toEqual([]);
});
