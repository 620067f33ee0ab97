/** Generation stops within DRAIN_MS, whatever its peers do. */
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { onAbort } from "#runtime/abort.ts";
import { randomId } from "#runtime/id.ts";
import { createLog } from "#runtime/log.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import type { Provider } from "../../services/generation/providers/provider.ts";
import { start } from "../../services/generation/service.ts";
import { openPool, testDatabases } from "../support/database.ts";
import { serveRpc } from "../support/rpc-server.ts";
import { scriptedProvider } from "../support/scripted-provider.ts";
import { generationConfig } from "../support/service-configs.ts";
import { pendingCall, videoRequest } from "./fixture.ts";

const DRAIN_MS = 500;
/** Less than the 5 s of a call that is never answered, and than the time of a submit; this machine may be slow. */
const STOP_MS = 4_500;
/** The prompt of a submit that is not answered. */
const HANGS = "a sloth";

it("a peer and an upstream that do not answer are given up at the deadline of the stop, and the submit is left to other workers", async () => {
  await using stack = new AsyncDisposableStack();
  const { urls } = stack.use(await testDatabases());
  const identity = await generateIdentity("generation");
  const gateway = await generateIdentity("gateway");
  // Billing in another process takes every call of `capture` and never answers it.
  const { call: capture, made: captured } = pendingCall();
  const billing = stack.use(
    await serveRpc(({ service }) => {
      service(BillingService, { getDiscounts: () => ({}), reserve: () => ({}), capture });
    }),
  );
  const delivery = createRouterTransport(({ service }) => {
    service(DeliveryService, { storeOutput: () => ({ output: [] }) });
  });
  const sent = Promise.withResolvers<void>();
  const scripted = scriptedProvider();
  const simulator: Provider = {
    ...scripted,
    submit: async (job, signal) => {
      if (job.prompt !== HANGS) return scripted.submit(job, signal);
      sent.resolve();
      return new Promise((_resolve, reject) =>
        onAbort(signal, () => reject(new Error("given up"))),
      );
    },
  };
  const service = await start(
    generationConfig({
      drainMs: DRAIN_MS,
      databaseUrl: urls.generation.url,
      identity: identity.privateKey,
      trusted: { keys: [identity.publicKey, gateway.publicKey] },
      billingUrl: [billing.url],
      liveProvider: "simulator",
    }),
    { log: createLog("test", "silent"), peers: { delivery: () => delivery }, simulator },
  );
  const client = createClient(GenerationService, service.directTransport("gateway"));
  const call = videoRequest(randomId("acct"));
  await client.createVideo(call);
  await client.createVideo({ ...call, generationId: randomId("vgen"), input: { prompt: HANGS } });
  await Promise.all([captured, sent.promise]);
  const startedAt = performance.now();
  await service[Symbol.asyncDispose]();
  expect(performance.now() - startedAt).toBeLessThan(STOP_MS);
  await using sql = openPool(urls.generation.url);
  const rows = await sql`select lease_until from generation.tasks where step = 'submit'`;
  expect(rows).toEqual([{ leaseUntil: null }]);
});
