/** The catalog of models, read from its data file. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fromJsonString } from "@bufbuild/protobuf";
import {
  CatalogSchema,
  type Catalog as CatalogFile,
} from "#gen/proto/media/generation/v1/catalog_pb.ts";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { asSetting } from "#runtime/env.ts";
import type { KindName } from "#vocabulary/names.ts";
import { deadlinesMs, type DeadlinesMs } from "../domain/deadlines.ts";
import { parseSize, type Frames } from "../domain/job.ts";
import { catalogFaults } from "./check-catalog.ts";

export const defaultCatalogPath = fileURLToPath(new URL("./models.json", import.meta.url));

export type Catalog = Frames & {
  models: () => readonly Model[];
  deadlines: (kind: KindName, id: string) => DeadlinesMs;
};

/** Reads the file, once; throws if it is wrong. */
export function openCatalog(path: string): Catalog {
  const { models, deadlines, resolutions } = asSetting("CATALOG_FILE", () => read(path));
  const byId = new Map(models.map((model) => [model.id, model]));
  return {
    models: () => models,
    find: (id) => byId.get(id),
    deadlines: (kind, id) => deadlinesMs(kind, deadlines[id]),
    frame: (model, aspectRatio, resolution = model.resolution ?? "") =>
      parseSize(resolutions[resolution]?.frames[aspectRatio] ?? "0x0"),
  };
}

function read(path: string): CatalogFile {
  const text = readFileSync(path, "utf8");
  const refused = (reason: string) => new Error(`${path}: ${reason}`);
  let file: CatalogFile;
  try {
    file = fromJsonString(CatalogSchema, text);
  } catch (error) {
    throw refused((error as Error).message);
  }
  const faults = catalogFaults(file);
  if (faults.length > 0) throw refused(faults.join("; "));
  return file;
}
