/** The catalog file: correct edits are used, wrong ones stop the start. */
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Availability } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { defaultCatalogPath, openCatalog } from "../../../services/generation/catalog/catalog.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

const original = readFileSync(defaultCatalogPath, "utf8");
const ids = (catalog: ReturnType<typeof openCatalog>) => catalog.models().map(({ id }) => id);

const path = join(folderForTests(), "models.json");

beforeEach(() => writeFileSync(path, original));

type CatalogFile = {
  models: ({ id: string } & Record<string, unknown>)[];
  deadlines?: Record<string, object>;
};

/** Opens the catalog with a change. */
function changed(change: (file: CatalogFile) => void): ReturnType<typeof openCatalog> {
  const file = JSON.parse(original) as CatalogFile;
  change(file);
  writeFileSync(path, JSON.stringify(file));
  return openCatalog(path);
}

it.each([
  ["is not there", undefined, "no such file"],
  ["is not JSON", "{", "models.json: cannot decode message"],
  ["is wrong", original.replace(/"tokens": \d+/, '"tokens": -5'), "a price cannot be negative"],
])("a catalog that %s stops the start with a problem of CATALOG_FILE", (_what, text, reason) => {
  if (text === undefined) unlinkSync(path);
  else writeFileSync(path, text);
  const open = () => openCatalog(path);
  expect(open).toThrow(/^configuration:\n {2}- CATALOG_FILE: /);
  expect(open).toThrow(reason);
});

describe("an edit of the catalog", () => {
  it("adds a model, or takes one out of use", () => {
    const catalog = changed(({ models }) => {
      models.push({ ...(models[0] ?? { id: "" }), id: "delta-1.0" });
      const [first] = models;
      if (first) first["availability"] = "AVAILABILITY_DISABLED";
    });
    expect(ids(catalog)).toContain("delta-1.0");
    expect(catalog.find("alpha-2.0")?.availability).toBe(Availability.DISABLED);
  });

  const first = (fields: object) => (file: CatalogFile) =>
    void Object.assign(file.models[0] ?? {}, fields);
  const due = (deadlines: CatalogFile["deadlines"]) => (file: CatalogFile) =>
    void Object.assign(file, { deadlines });
  const surcharged = ({ models: [model] }: CatalogFile) =>
    void Object.assign(model?.["pricing"] as object, {
      surcharges: [{ parameter: "video_url", tokens: 1 }],
    });

  it.each<[string, (file: CatalogFile) => void, string]>([
    ["names a model twice", ({ models }) => models.push(...models.slice(0, 1)), "is listed twice"],
    ["has an unknown field", first({ prise: 1 }), "prise"],
    ["has a default of none", first({ default_aspect_ratio: "2:1" }), "default_aspect_ratio must"],
    ["declares no known parameter", first({ parameters: { sede: {} } }), "not sede"],
    [
      "offers a resolution without frame sizes",
      first({ parameters: { resolution: { values: ["720P", "9P"] } } }),
      "no frame size for 16:9 at 9P",
    ],
    ["charges for what it does not declare", surcharged, "a surcharge names video_url"],
    [
      "takes video_url and does not say so in its inputs",
      first({ parameters: { video_url: {} } }),
      "the input video is the parameter video_url",
    ],
    [
      "is due at once",
      due({ "alpha-2.0": { queue_seconds: 0 } }),
      "queue_seconds must be 1 or more",
    ],
    [
      "sets a deadline for an unknown model",
      due({ "alpha-9.0": { processing_seconds: 60 } }),
      "deadlines name the unknown model alpha-9.0",
    ],
  ])("that %s is refused, with the reason", (_name, change, reason) => {
    expect(() => changed(change)).toThrow(reason);
  });
});
