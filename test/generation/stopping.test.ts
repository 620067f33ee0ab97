/** Generation stops within DRAIN_MS, whatever its peers do. */
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { onAbort } from "#runtime/abort.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import type { PeerUrls } from "#runtime/service/service.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import type { Provider } from "../../services/generation/providers/provider.ts";
import { start } from "../../services/generation/service.ts";
import { testDatabases } from "../support/database.ts";
import { serveRpc } from "../support/rpc-server.ts";
import { scriptedProvider } from "../support/scripted-provider.ts";
import { generationConfig } from "../support/service-configs.ts";
import { videoRequest } from "./fixture.ts";

const DRAIN_MS = 500;
/** A call that is never answered has so long; this machine may be slow. */
const CALL_MS = 5_000;
const SUBMIT_MS = 15_000;

/** A billing in another process that takes every call of `capture` and never answers it. */
async function silentBilling() {
  const captured = Promise.withResolvers<void>();
  const server = await serveRpc((router) =>
    router.service(BillingService, {
      getDiscounts: () => ({}),
      reserve: () => ({}),
      capture: () => {
        captured.resolve();
        return new Promise(() => {});
      },
    }),
  );
  return { ...server, captured: captured.promise };
}

type Peers = { simulator: Provider; billing: PeerUrls | undefined };

/** A running generation, what its database holds, and how long its stop takes. */
async function started(stack: AsyncDisposableStack, { simulator, billing }: Peers) {
  const { urls } = stack.use(await testDatabases());
  const identity = await generateIdentity("generation");
  const gateway = await generateIdentity("gateway");
  const answers = createRouterTransport(({ service }) => {
    service(BillingService, { getDiscounts: () => ({}), reserve: () => ({}) });
    service(DeliveryService, { storeOutput: () => ({ output: [] }) });
  });
  const service = await start(
    generationConfig({
      drainMs: DRAIN_MS,
      databaseUrl: urls.generation.url,
      identity: identity.privateKey,
      trusted: { keys: [identity.publicKey, gateway.publicKey] },
      billingUrl: billing,
      liveProvider: "simulator",
    }),
    {
      log: createLog("test", "silent"),
      peers: { delivery: () => answers, ...(billing ? {} : { billing: () => answers }) },
      simulator,
    },
  );
  const sql = connectPostgres({ url: urls.generation.url, maxConnections: 1 }, "test");
  stack.defer(() => sql.end());
  return {
    sql,
    client: createClient(GenerationService, service.directTransport("gateway")),
    stopMs: async () => {
      const startedAt = performance.now();
      await service[Symbol.asyncDispose]();
      return performance.now() - startedAt;
    },
  };
}

it("a worker that waits for a peer's answer is given up at the deadline of the stop", async () => {
  await using stack = new AsyncDisposableStack();
  const billing = await silentBilling();
  const { client, stopMs } = await started(stack, {
    simulator: scriptedProvider(),
    billing: [billing.url],
  });
  await client.createVideo(videoRequest(randomId("acct")));
  await billing.captured;
  expect(await stopMs()).toBeLessThan(CALL_MS);
});

it("a submit that is not answered is left to other workers at the deadline of the stop", async () => {
  await using stack = new AsyncDisposableStack();
  const sent = Promise.withResolvers<void>();
  const simulator: Provider = {
    ...scriptedProvider(),
    submit: (_job, signal) => {
      sent.resolve();
      return new Promise((_resolve, reject) =>
        onAbort(signal, () => reject(new Error("given up"))),
      );
    },
  };
  const { client, sql, stopMs } = await started(stack, { simulator, billing: undefined });
  await client.createVideo(videoRequest(randomId("acct")));
  await sent.promise;
  expect(await stopMs()).toBeLessThan(SUBMIT_MS);
  const rows = await sql`select step, lease_until from generation.tasks`;
  expect(rows).toEqual([{ step: "submit", leaseUntil: null }]);
});
