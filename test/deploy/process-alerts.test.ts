/** Outages of processes and what they stand on: `ops status` names each by its cause, until it is mended. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createLog } from "#runtime/log.ts";
import { processMetrics, type ProcessFacts } from "#runtime/metrics/metrics.ts";
import type { ServiceKey } from "#runtime/rpc/service-token.ts";
import { serviceKeys } from "#runtime/rpc/service-keys.ts";
import { systemClock } from "#runtime/clock.ts";
import { readSpace } from "../../services/delivery/storage/filesystem.ts";
import { openIdentities, rotateKey } from "../../services/ops/setup/identities.ts";
import { holds } from "../support/alert-rules.ts";
import { createAuthority } from "../support/certificates.ts";
import { manualClock } from "../support/manual-clock.ts";
import { scrapedBacklog } from "../support/metrics.ts";
import { startProgram } from "../support/process.ts";
import { scrape } from "../support/scrape.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DAY_SECONDS = 86_400;
const nowSeconds = () => systemClock.now().getTime() / 1_000;

const FACTS: ProcessFacts = {
  service: "billing",
  certificates: {},
  keyMadeAt: nowSeconds,
  keysUnread: () => false,
  isReady: async () => true,
};

/** Says whether an outage is named now for a process of which these facts are true. */
function processWith(facts: Partial<ProcessFacts>) {
  const registry = new Registry();
  processMetrics(registry, { ...FACTS, ...facts });
  return async (alert: string) => holds(alert, await scrape(registry, nowSeconds()));
}

const UNSHARE = ["--user", "--map-root-user", "--mount"];

/** Whether this machine lets a test mount a file system of its own. */
function hasSmallDisks(): boolean {
  try {
    execFileSync("unshare", [...UNSHARE, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A tmpfs in a mount namespace of its own, which a test can fill; `directory` is its root. */
async function mountSmallDisk(megabytes: number): Promise<AsyncDisposable & { directory: string }> {
  const script = 'mount -t tmpfs -o "size=$0m" tmpfs /mnt && echo mounted && exec sleep infinity';
  const holder = startProgram("unshare", [...UNSHARE, "sh", "-c", script, String(megabytes)], {});
  await holder.says("mounted");
  return {
    directory: `/proc/${holder.pid}/root/mnt`,
    [Symbol.asyncDispose]: () => holder[Symbol.asyncDispose](),
  };
}

it.runIf(hasSmallDisks())("a disk that is full raises the alert, until files go", async () => {
  await using disk = await mountSmallDisk(1);
  const { directory } = disk;
  const scraped = scrapedBacklog({ readSpace: () => readSpace(directory) });
  const isOn = async () => holds("StorageDisk", await scraped());
  expect(await isOn()).toBe(false);
  const file = join(directory, "output.mp4");
  await writeFile(file, Buffer.alloc(1_000_000));
  expect(await isOn()).toBe(true);
  await rm(file);
  expect(await isOn()).toBe(false);
});

it("a certificate that expires soon raises the alert, until a process starts with a renewed one", async () => {
  await using folder = await temporaryFolder();
  const authority = createAuthority(folder.path);
  const startWith = (days: number) => {
    const { certFile } = authority.issue("billing", { days });
    return processWith({ certificates: { rpc: readFileSync(certFile, "utf8") } });
  };
  expect(await startWith(13)("CertificateExpires")).toBe(true);
  expect(await startWith(90)("CertificateExpires")).toBe(false);
});

it("a key of half a year raises the alert, until it is rotated", async () => {
  await using folder = await temporaryFolder();
  const identities = await openIdentities(folder.path);
  const files = { identity: identities.keyFile("billing"), trusted: identities.trustedFile };
  const old: ServiceKey = { ...identities.keys.billing, iat: nowSeconds() - 181 * DAY_SECONDS };
  await writeFile(files.identity, JSON.stringify(old));
  const clock = manualClock();
  const start = { identity: old, trusted: identities.trusted };
  const keys = serviceKeys(start, files, { clock, log: createLog("test", "silent") });
  const isOn = processWith({ keyMadeAt: () => keys.identity().iat });
  expect(await isOn("KeyAge")).toBe(true);
  const rotate = () => rotateKey(folder.path, "billing", { afterMs: 0, clock: systemClock });
  await rotate();
  await rotate();
  const used = JSON.parse(await readFile(files.identity, "utf8")) as ServiceKey;
  clock.advance(5_000);
  expect(keys.identity()).toEqual(used);
  expect(await isOn("KeyAge")).toBe(false);
});

it("keys that cannot be read raise the alert, until they can", async () => {
  await using folder = await temporaryFolder();
  const identities = await openIdentities(folder.path);
  const files = { identity: identities.keyFile("billing"), trusted: identities.trustedFile };
  const start = { identity: identities.keys.billing, trusted: identities.trusted };
  const clock = manualClock();
  const keys = serviceKeys(start, files, { clock, log: createLog("test", "silent") });
  const isOn = processWith({ keysUnread: keys.isUnread });
  expect(await isOn("KeysUnread")).toBe(false);
  await rm(files.trusted);
  clock.advance(5_000);
  expect(await isOn("KeysUnread")).toBe(true);
  expect(keys.trusted()).toEqual(identities.trusted);
  await writeFile(files.trusted, JSON.stringify(identities.trusted));
  clock.advance(5_000);
  expect(await isOn("KeysUnread")).toBe(false);
});
