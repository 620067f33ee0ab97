/** Outages of processes and what they stand on: `ops status` names each by its cause, until it is mended. */
import { readFileSync } from "node:fs";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { processMetrics, type ProcessFacts } from "#runtime/metrics/metrics.ts";
import { systemClock } from "#runtime/clock.ts";
import { readSpace } from "../../services/delivery/storage/filesystem.ts";
import { holds } from "../support/alert-rules.ts";
import { createAuthority } from "../support/certificates.ts";
import { scrapedBacklog } from "../support/metrics.ts";
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

it("a disk without free bytes raises the alert, and an empty one does not", async () => {
  await using folder = await temporaryFolder();
  const { free, size } = await readSpace(folder.path);
  expect(free).toBeGreaterThan(0);
  expect(free).toBeLessThan(size);
  const isNamedWith = async (left: number) =>
    holds("StorageDisk", await scrapedBacklog({ readSpace: async () => ({ free: left, size }) })());
  expect([await isNamedWith(0), await isNamedWith(size)]).toEqual([true, false]);
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
