/** Outages of processes and what they stand on: `ops status` names each by its cause, until it is mended. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { processMetrics, type ProcessFacts } from "#runtime/metrics/metrics.ts";
import { systemClock } from "#runtime/clock.ts";
import { readSpace } from "../../services/delivery/storage/filesystem.ts";
import { holds } from "../support/alert-rules.ts";
import { createAuthority } from "../support/certificates.ts";
import { scrapedBacklog } from "../support/metrics.ts";
import { startProgram } from "../support/process.ts";
import { scrape } from "../support/scrape.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DAY_SECONDS = 86_400;
const nowSeconds = () => systemClock.now().getTime() / 1_000;

const FACTS: ProcessFacts = {
  service: "billing",
  certificates: {},
  keyMadeAt: nowSeconds(),
  isReady: async () => true,
};

/** Whether the outage is named now for a process of which these facts are true. */
async function isNamed(alert: string, facts: Partial<ProcessFacts>): Promise<boolean> {
  const registry = new Registry();
  processMetrics(registry, { ...FACTS, ...facts });
  return holds(alert, await scrape(registry, nowSeconds()));
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
  const isNamedWith = (days: number) => {
    const { certFile } = authority.issue("billing", { days });
    const certificates = { rpc: readFileSync(certFile, "utf8") };
    return isNamed("CertificateExpires", { certificates });
  };
  expect([await isNamedWith(13), await isNamedWith(90)]).toEqual([true, false]);
});

it("a key of half a year raises the alert, until its service starts with another", async () => {
  const keyMadeAt = nowSeconds() - 181 * DAY_SECONDS;
  expect(await isNamed("KeyAge", { keyMadeAt })).toBe(true);
  expect(await isNamed("KeyAge", {})).toBe(false);
});
