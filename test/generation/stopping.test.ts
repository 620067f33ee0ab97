/** Generation stops within DRAIN_MS, whatever its peers do. */
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, inject, it } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { natsAt } from "#runtime/events/config.ts";
import { createLog } from "#runtime/log.ts";
import { tokenInterceptor } from "#runtime/rpc/client.ts";
import { generateIdentity, ownToken } from "#runtime/rpc/service-token.ts";
import { defaultCatalogPath } from "../../services/generation/catalog/catalog.ts";
import { start } from "../../services/generation/service.ts";
import { testDatabases } from "../support/database.ts";
import { NO_UPSTREAMS } from "../support/no-upstreams.ts";
import { serveRpc } from "../support/rpc-server.ts";
import { scriptedProvider } from "../support/scripted-provider.ts";
import { videoRequest } from "./harness.ts";

const DRAIN_MS = 500;
/** This machine may be slow. The deadline of the call that never ends is 5 s. */
const GRACE_MS = 2_500;

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

it("a worker that waits for a peer's answer is given up at the deadline of the stop", async () => {
  await using stack = new AsyncDisposableStack();
  const { urls } = stack.use(await testDatabases());
  const billing = await silentBilling();
  const delivery = createRouterTransport(({ service }) =>
    service(DeliveryService, { storeOutput: () => ({ output: [] }) }),
  );
  const identity = await generateIdentity("generation");
  const service = await start(
    {
      host: "127.0.0.1",
      rpcPort: 0,
      lameDuckMs: 0,
      drainMs: DRAIN_MS,
      databaseUrl: urls.generation.url,
      migrateDatabaseUrl: undefined,
      maxConnections: 6,
      nats: natsAt(inject("natsUrl")),
      identity: identity.privateKey,
      trusted: { keys: [identity.publicKey] },
      logLevel: "silent",
      catalogPath: defaultCatalogPath,
      billingUrl: [billing.url],
      deliveryUrl: undefined,
      liveProvider: "simulator",
      upstreams: NO_UPSTREAMS,
      callbacks: undefined,
      concurrency: 4,
      accountConcurrency: 50,
      simulatorUrl: "http://127.0.0.1:9",
    },
    {
      log: createLog("test", "silent"),
      peers: { delivery: () => delivery },
      simulator: scriptedProvider(),
    },
  );
  const token = tokenInterceptor(ownToken(() => identity.privateKey, systemClock));
  const client = createClient(GenerationService, service.memoryTransport([token]));
  await client.createVideo(videoRequest(randomId("acct")));
  await billing.captured;
  const startedAt = performance.now();
  await service[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(DRAIN_MS + GRACE_MS);
});
