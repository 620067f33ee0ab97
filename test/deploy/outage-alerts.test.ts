/** Outages of what services stand on: `ops status` names each by the real fault, until it ends. */
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { Registry } from "prom-client";
import { systemClock } from "#runtime/clock.ts";
import { createLog } from "#runtime/log.ts";
import { processMetrics } from "#runtime/metrics/metrics.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import { start as startBilling } from "../../services/billing/service.ts";
import { readSpace } from "../../services/delivery/storage/filesystem.ts";
import { createS3Store, LIMITS } from "../../services/delivery/storage/s3.ts";
import { watchedStore } from "../../services/delivery/storage/object-store.ts";
import { readWebhookFigures } from "../../services/delivery/store/webhook-deliveries.ts";
import { scrapeAll } from "../../services/ops/status/scrape.ts";
import { statusOf } from "../../services/ops/status/status.ts";
import { holds } from "../support/alert-rules.ts";
import { createAuthority } from "../support/certificates.ts";
import { startDatabaseProxy } from "../support/tcp-proxy.ts";
import { openPool, testDatabase } from "../support/database.ts";
import { manualClock } from "../support/manual-clock.ts";
import { scrapedBacklog } from "../support/metrics.ts";
import { startS3 } from "../support/s3.ts";
import { scrape } from "../support/scrape.ts";
import { serviceConfig } from "../support/service-configs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Figures are read again after five seconds, and this machine may be slow. */
const SOON = { timeout: 60_000, interval: 250 };
vi.setConfig({ testTimeout: 4 * SOON.timeout });

it("a Postgres that is away makes a replica unready, until it is back", async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await testDatabase("billing"));
  const proxy = stack.use(await startDatabaseProxy(database.url));
  const { privateKey, publicKey } = await generateIdentity("billing");
  const config = serviceConfig({
    databaseUrl: proxy.through(database.url),
    identity: privateKey,
    trusted: { keys: [publicKey] },
  });
  const { rpcUrl } = stack.use(await startBilling(config, { log: createLog("test", "silent") }));
  const isOn = async () => {
    const replicas = await scrapeAll({ billing: [rpcUrl] }, undefined);
    const { concerns } = statusOf(replicas, systemClock.now());
    return concerns.some((concern) => concern.endsWith("(PostgresUnreachable)"));
  };
  await expect.poll(isOn, SOON).toBe(false);
  for (const isOut of [true, false]) {
    proxy.setDown(isOut);
    await expect.poll(isOn, SOON).toBe(isOut);
  }
});

it("an S3 that hangs, or gives but takes nothing, is unavailable, until it answers and takes an object", async () => {
  await using s3 = await startS3();
  using inBucket = createS3Store(s3.config, { ...LIMITS, putMs: 10_000 });
  const { store, available } = watchedStore(inBucket, systemClock);
  const scraped = scrapedBacklog({ storageAvailable: available });
  const put = () => store.put("a.png", Readable.from([Buffer.alloc(9)]));
  const isOn = async () => holds("StorageUnavailable", await scraped());
  await expect.poll(isOn, SOON).toBe(false);
  s3.setHanging(true);
  await expect.poll(isOn, SOON).toBe(true);
  s3.setHanging(false);
  await expect.poll(isOn, SOON).toBe(false);
  s3.setFull(true);
  expect(await put().catch(() => "refused")).toBe("refused");
  await expect.poll(isOn, SOON).toBe(true);
  s3.setFull(false);
  await put();
  await expect.poll(isOn, SOON).toBe(false);
});

it("figures that Postgres does not give are no zeros, and are said to be unread", async () => {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await testDatabase("delivery"));
  const proxy = stack.use(await startDatabaseProxy(url));
  const sql = stack.use(openPool(proxy.through(url)));
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

it("a disk without free bytes raises the alert, and an empty one does not", async () => {
  await using folder = await temporaryFolder();
  const { free, size } = await readSpace(folder.path);
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThan(size);
  const isNamedWith = async (left: number) =>
    holds("StorageDisk", await scrapedBacklog({ readSpace: async () => ({ free: left, size }) })());
  expect([await isNamedWith(0), await isNamedWith(size)]).toEqual([true, false]);
});

it("a certificate that expires soon and a key of half a year raise alerts, and renewed ones do not", async () => {
  await using folder = await temporaryFolder();
  const authority = createAuthority(folder.path);
  const nowSeconds = systemClock.now().getTime() / 1_000;
  const named = async (certificateDays: number, keyAgeDays: number) => {
    const { certFile } = authority.issue("billing", { days: certificateDays });
    const registry = new Registry();
    processMetrics(registry, {
      service: "billing",
      certificates: { rpc: readFileSync(certFile, "utf8") },
      keyMadeAt: nowSeconds - keyAgeDays * 86_400,
      isReady: async () => true,
    });
    const scraped = await scrape(registry, nowSeconds);
    return ["CertificateExpires", "KeyAge"].filter((alert) => holds(alert, scraped));
  };
  expect(await named(13, 0)).toEqual(["CertificateExpires"]);
  expect(await named(90, 181)).toEqual(["KeyAge"]);
});
