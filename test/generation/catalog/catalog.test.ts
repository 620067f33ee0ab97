/** The catalog file: correct edits are used without a restart, wrong ones are refused whole. */
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Registry } from "prom-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Availability } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { createLog, type Log } from "#runtime/log.ts";
import { defaultCatalogPath, openCatalog } from "../../../services/generation/catalog/catalog.ts";
import { createMetrics } from "../../../services/generation/metrics/metrics.ts";
import { holds } from "../../support/alert-rules.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { scrape } from "../../support/scrape.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const original = readFileSync(defaultCatalogPath, "utf8");
const ids = (catalog: ReturnType<typeof openCatalog>) => catalog.models().map(({ id }) => id);

const path = join(folderForTests(), "models.json");
let logged: string[];
let log: Log;
let registry: Registry;
let catalog: ReturnType<typeof openCatalog>;
let clock: ReturnType<typeof manualClock>;

beforeEach(() => {
  writeFileSync(path, original);
  logged = [];
  clock = manualClock();
  log = createLog("test", "info", { write: (line: string) => void logged.push(line) });
  registry = new Registry();
  catalog = openCatalog(path, { clock, log, metrics: createMetrics(registry) });
});
afterEach(() => catalog[Symbol.asyncDispose]());

type CatalogFile = {
  models: ({ id: string } & Record<string, unknown>)[];
  deadlines?: Record<string, object>;
};

/** Edits the file and advances the clock to the catalog's next check. */
async function edit(change: (file: CatalogFile) => void): Promise<void> {
  const file = JSON.parse(readFileSync(path, "utf8")) as CatalogFile;
  change(file);
  writeFileSync(path, JSON.stringify(file));
  clock.advance(1_000);
  await expect.poll(() => logged.length).toBeGreaterThan(0);
}

it.each([
  ["is not there", undefined, "no such file"],
  ["is not JSON", "{", "models.json: cannot decode message"],
  ["is wrong", original.replace(/"tokens": \d+/, '"tokens": -5'), "a price cannot be negative"],
])("a catalog that %s stops the start with a problem of CATALOG_FILE", (_what, text, reason) => {
  if (text === undefined) unlinkSync(path);
  else writeFileSync(path, text);
  const open = () => openCatalog(path, { clock, log, metrics: createMetrics(new Registry()) });
  expect(open).toThrow(/^configuration:\n {2}- CATALOG_FILE: /);
  expect(open).toThrow(reason);
});

describe("an edit of the catalog", () => {
  it("adds a model, or takes one out of use, without a restart", async () => {
    await edit(({ models }) => {
      models.push({ ...(models[0] ?? { id: "" }), id: "delta-1.0" });
      const [first] = models;
      if (first) first["availability"] = "AVAILABILITY_DISABLED";
    });
    expect(ids(catalog)).toContain("delta-1.0");
    expect(catalog.find("alpha-2.0")?.availability).toBe(Availability.DISABLED);
  });

  it.each<[string, (file: CatalogFile) => void, string]>([
    ["drops an id", ({ models }) => void models.shift(), "alpha-2.0 may not be dropped"],
    [
      "names a model twice",
      ({ models }) => void models.push({ ...models[0], id: "alpha-2.0" }),
      "is listed twice",
    ],
    [
      "has an unknown field",
      ({ models }) => void Object.assign(models[0] ?? {}, { prise: 1 }),
      "prise",
    ],
    [
      "has a default that is not offered",
      ({ models }) => void Object.assign(models[0] ?? {}, { default_aspect_ratio: "2:1" }),
      "default_aspect_ratio must be among",
    ],
    [
      "declares a parameter that there is not",
      ({ models }) => void Object.assign(models[0] ?? {}, { parameters: { sede: {} } }),
      "not sede",
    ],
    [
      "offers a resolution without frame sizes",
      ({ models }) => {
        Object.assign(models[0] ?? {}, { parameters: { resolution: { values: ["720P", "9P"] } } });
      },
      "no frame size for 16:9 at 9P",
    ],
    [
      "charges for a parameter that it does not declare",
      ({ models }) => {
        const [first] = models;
        const surcharges = [{ parameter: "video_url", tokens: 1 }];
        Object.assign(first?.["pricing"] as object, { surcharges });
      },
      "a surcharge names video_url",
    ],
    [
      "takes video_url and does not say so in its inputs",
      ({ models }) => void Object.assign(models[0] ?? {}, { parameters: { video_url: {} } }),
      "the input video is the parameter video_url",
    ],
    [
      "sets a deadline of zero",
      (file) => void (file.deadlines = { "alpha-2.0": { queue_seconds: 0 } }),
      "queue_seconds must be 1 or more",
    ],
    [
      "sets a deadline for an unknown model",
      (file) => void (file.deadlines = { "alpha-9.0": { processing_seconds: 60 } }),
      "deadlines name the unknown model alpha-9.0",
    ],
  ])(
    "that %s is refused whole, with the reason, and the old one stays",
    async (_name, change, reason) => {
      await edit((file) => {
        file.models.push({ ...(file.models[0] ?? { id: "" }), id: "delta-1.0" });
        change(file);
      });
      expect(ids(catalog)).not.toContain("delta-1.0");
      expect(ids(catalog)).toContain("alpha-2.0");
      expect(logged.join("")).toContain(reason);
    },
  );

  it("that is refused alerts until it is corrected", async () => {
    const isOn = async () => holds("FileRefused", await scrape(registry));
    expect(await isOn()).toBe(false);
    await edit(({ models }) => void models.push({ id: "delta-1.0" }));
    expect(await isOn()).toBe(true);
    logged.length = 0;
    await edit(({ models }) => void models.pop());
    expect(await isOn()).toBe(false);
  });
});
