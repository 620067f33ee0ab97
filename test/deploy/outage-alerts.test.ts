/** Outages of what services stand on: alerts fire by the real fault, `ops status` names it, and both end with it. */
import { Readable } from "node:stream";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { expect, it, vi } from "vitest";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { connectPostgres } from "#runtime/postgres/connect.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { start as startDelivery } from "../../services/delivery/service.ts";
import { createS3Store, LIMITS } from "../../services/delivery/storage/s3.ts";
import { watchedStore } from "../../services/delivery/storage/object-store.ts";
import { readWebhookFigures } from "../../services/delivery/store/webhook-deliveries.ts";
import { start as startGeneration } from "../../services/generation/service.ts";
import { scrapeAll } from "../../services/ops/status/scrape.ts";
import { statusOf } from "../../services/ops/status/status.ts";
import { holds } from "../support/alert-rules.ts";
import { startDatabaseProxy } from "../support/database-proxy.ts";
import { testDatabase } from "../support/database.ts";
import { startHttp } from "../support/http-server.ts";
import { manualClock } from "../support/manual-clock.ts";
import { scrapedBacklog } from "../support/metrics.ts";
import { startS3 } from "../support/s3.ts";
import { deliveryConfig, generationConfig } from "../support/service-configs.ts";
import { isLong } from "../support/test-size.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Figures are read again after five seconds, and this machine may be slow. */
const SOON = { timeout: 60_000, interval: 250 };
vi.setConfig({ testTimeout: 4 * SOON.timeout });
const log = createLog("test", "silent");

/** Whether `ops status` names the outage of a running service. */
async function seen(alert: string, service: ServiceName, url: string) {
  const urls = { [service]: [url] as const };
  const { concerns } = statusOf(await scrapeAll(urls, undefined), systemClock.now());
  return concerns.some((concern) => concern.endsWith(`(${alert})`));
}

/** The outage is named once it has begun, and no more once it has ended. */
async function expectFollowed(isOn: () => Promise<boolean>, set: (isOut: boolean) => void) {
  await expect.poll(isOn, SOON).toBe(false);
  for (const isOut of [true, false]) {
    set(isOut);
    await expect.poll(isOn, SOON).toBe(isOut);
  }
}

async function delivery(stack: AsyncDisposableStack) {
  const database = stack.use(await testDatabase("delivery"));
  const proxy = stack.use(await startDatabaseProxy(database.url));
  const s3 = stack.use(await startS3());
  const { path: dataDir } = stack.use(await temporaryFolder());
  const own = await generateIdentity("delivery");
  const { rpcUrl } = stack.use(
    await startDelivery(
      deliveryConfig({
        databaseUrl: proxy.through(database.url),
        identity: own.privateKey,
        trusted: { keys: [own.publicKey] },
        maxConnections: 4,
        storage: { kind: "s3", s3: s3.config },
        dataDir,
      }),
      { log },
    ),
  );
  return { proxy, s3, isOn: (alert: string) => seen(alert, "delivery", rpcUrl) };
}

it("a Postgres that is away makes a replica unready, until it is back", async () => {
  await using stack = new AsyncDisposableStack();
  const { proxy, isOn } = await delivery(stack);
  await expectFollowed(
    () => isOn("PostgresUnreachable"),
    (isOut) => proxy.setDown(isOut),
  );
});

it.runIf(isLong)("an S3 that hangs is unavailable, until it answers", async () => {
  await using stack = new AsyncDisposableStack();
  const { s3, isOn } = await delivery(stack);
  stack.defer(() => s3.setHanging(false));
  await expectFollowed(
    () => isOn("StorageUnavailable"),
    (isOut) => s3.setHanging(isOut),
  );
});

it("an S3 that gives but takes nothing is unavailable, until it takes an object", async () => {
  await using s3 = await startS3();
  using inBucket = createS3Store(s3.config, { limits: { ...LIMITS, putMs: 10_000 } });
  const clock = manualClock();
  const { store, available } = watchedStore(inBucket, clock);
  const scraped = scrapedBacklog({ storageAvailable: available }, clock);
  const put = () => store.put("a.png", Readable.from([Buffer.alloc(9)]));
  const isOn = async () => holds("StorageUnavailable", await scraped());
  expect(await isOn()).toBe(false);
  s3.setFull(true);
  expect(await put().catch(() => "refused")).toBe("refused");
  expect(await isOn()).toBe(true);
  s3.setFull(false);
  await put();
  expect(await isOn()).toBe(false);
});

it("figures that Postgres does not give are no zeros, and are said to be unread", async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await testDatabase("delivery"));
  const proxy = stack.use(await startDatabaseProxy(url));
  const sql = connectPostgres({ url: proxy.through(url), maxConnections: 1 }, "test");
  stack.defer(() => sql.end({ timeout: 1 }));
  const clock = manualClock();
  const scraped = scrapedBacklog(
    {
      readWebhooks: () => readWebhookFigures(sql, clock.now()),
      readSpace: () => Promise.reject(new Error("the folder is gone")),
    },
    clock,
  );
  const values = async (name: string) =>
    (await scraped()).samples.filter((one) => one.name === name).map(({ value }) => value);
  const age = () => values("media_oldest_due_webhook_age_seconds");
  await expect.poll(age, SOON).toEqual([0]);
  expect(await values("media_storage_free_bytes")).toEqual([NaN]);
  proxy.setDown(true);
  await expect.poll(age, SOON).toEqual([NaN]);
  expect(holds("FiguresUnread", await scraped())).toBe(true);
  proxy.setDown(false);
  await expect.poll(age, SOON).toEqual([0]);
});

it.runIf(isLong)(
  "a simulator that has ended is silent, and a check of the upstreams names it, until one runs again",
  async () => {
    await using stack = new AsyncDisposableStack();
    const { url } = stack.use(await testDatabase("generation"));
    const health = (port?: number) =>
      startHttp((_request, response) => void response.end("{}"), "127.0.0.1", port);
    const simulator = await health();
    const [own, ops] = [await generateIdentity("generation"), await generateIdentity("ops")];
    const answers = createRouterTransport(({ service }) => {
      service(BillingService, {});
      service(DeliveryService, {});
    });
    const service = stack.use(
      await startGeneration(
        generationConfig({
          drainMs: 500,
          databaseUrl: url,
          identity: own.privateKey,
          trusted: { keys: [own.publicKey, ops.publicKey] },
          simulatorUrl: simulator.url,
        }),
        { log, peers: { delivery: () => answers, billing: () => answers } },
      ),
    );
    const client = createClient(GenerationService, service.directTransport("ops"));
    const isOn = () => seen("UpstreamSilent", "generation", service.rpcUrl);
    const checked = async () => {
      const { upstreams } = await client.checkUpstreams({});
      return upstreams.map(({ upstream, ok, fault }) => ({ upstream, ok, fault }));
    };
    await expect.poll(isOn, SOON).toBe(false);
    expect(await checked()).toEqual([{ upstream: "simulator", ok: true, fault: "" }]);
    await simulator[Symbol.asyncDispose]();
    await expect.poll(isOn, SOON).toBe(true);
    expect(await checked()).toEqual([{ upstream: "simulator", ok: false, fault: "unavailable" }]);
    stack.use(await health(simulator.port));
    await expect.poll(isOn, SOON).toBe(false);
  },
);
