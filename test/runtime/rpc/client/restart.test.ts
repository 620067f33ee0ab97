/** Calls while a peer, or one of its replicas, stops gracefully. */
import { createClient } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import type { RpcServer } from "#runtime/rpc/server/server.ts";
import { serveRpc } from "../../../support/rpc-server.ts";

const RESTARTS = 20;
const CALLERS = 20;

function startBilling(port = 0): Promise<RpcServer> {
  const handlers = { getBalance: () => ({}), setDiscount: () => ({}) };
  return serveRpc((router) => router.service(BillingService, handlers), { port });
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("a peer that restarts gracefully ends no process that calls it", async () => {
  let server = await startBilling();
  const port = Number(new URL(server.url).port);
  using http = overHttp([server.url], []);
  const client = createClient(BillingService, http);
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.prependListener("uncaughtException", note);
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    await client.getBalance({}).catch(() => undefined);
    const stopped = server[Symbol.asyncDispose]();
    // The call begins a little later each time, so that one meets the end of the session half way.
    for (let turn = 0; turn < restart % 10; turn += 1) await nextTurn();
    await client.getBalance({}).catch(() => undefined);
    await stopped;
    server = await startBilling(port);
  }
  process.off("uncaughtException", note);
  await server[Symbol.asyncDispose]();
  expect(uncaught).toEqual([]);
});

it("no call fails, idempotent or not, while the replicas of a peer stop one after the other", async () => {
  const servers = [await startBilling(), await startBilling(), await startBilling()];
  const [first, ...more] = servers.map(({ url }) => url);
  using http = overHttp([first ?? "", ...more], []);
  const client = createClient(BillingService, http);
  const failed: unknown[] = [];
  let calls = 0;
  let isOver = false;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (!isOver) {
      await client.setDiscount({}).catch((error: unknown) => failed.push(error));
      calls += 1;
      await nextTurn();
    }
  });
  const moreCalls = (count: number) => expect.poll(() => calls).toBeGreaterThan(calls + count);
  await moreCalls(100);
  for (const server of servers.slice(0, 2)) {
    await server[Symbol.asyncDispose]();
    await moreCalls(100);
  }
  isOver = true;
  await Promise.all(callers);
  expect(failed).toEqual([]);
  await servers[2]?.[Symbol.asyncDispose]();
});
