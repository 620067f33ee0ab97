/** The catalog of models, read from its data file and read again when the file changes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fromJsonString } from "@bufbuild/protobuf";
import {
  CatalogSchema,
  type Catalog as CatalogFile,
} from "#gen/proto/media/generation/v1/catalog_pb.ts";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { asSetting } from "#runtime/env.ts";
import type { Clock } from "#runtime/clock.ts";
import type { KindName } from "#vocabulary/kind.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/periodic-job.ts";
import { deadlinesMs, type DeadlinesMs } from "../domain/deadlines.ts";
import { parseSize } from "../domain/size.ts";
import { fileVersion } from "#runtime/file-version.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { catalogFaults } from "./check-catalog.ts";

export const defaultCatalogPath = fileURLToPath(new URL("./models.json", import.meta.url));

export type Catalog = {
  models: () => readonly Model[];
  find: (id: string) => Model | undefined;
  deadlines: (kind: KindName, id: string) => DeadlinesMs;
  /** Width and height of a video model's frames; without a resolution, in its own. */
  frame: (
    model: Model,
    aspectRatio: string,
    resolution?: string,
  ) => { width: number; height: number };
};

const CHECK_EVERY_MS = 1_000;

/** Reads the file; a wrong one at start is an error, a wrong one later is refused whole and the old one stays. */
export function openCatalog(
  path: string,
  deps: { clock: Clock; log: Log; metrics: Pick<Metrics, "fileRefused"> },
): Catalog & AsyncDisposable {
  const { fileRefused } = deps.metrics;
  const file = "catalog";
  let current = asSetting("CATALOG_FILE", () => read(path, undefined));
  let seen = fileVersion(path);
  fileRefused.set({ file }, 0);

  const reloadIfChanged = () => {
    const now = fileVersion(path);
    if (now === seen) return;
    seen = now;
    try {
      current = read(path, current);
      fileRefused.set({ file }, 0);
      deps.log.info({ models: current.models.length }, "catalog read again");
    } catch (error) {
      fileRefused.set({ file }, 1);
      deps.log.error({ reason: (error as Error).message }, "catalog refused; the old one stays");
    }
  };
  const every = { firstAfterMs: CHECK_EVERY_MS, everyMs: CHECK_EVERY_MS };
  const jobs = startPeriodicJobs(
    [{ name: "reload catalog", ...every, run: reloadIfChanged }],
    deps,
  );

  return {
    models: () => current.models,
    find: (id) => current.models.find((model) => model.id === id),
    deadlines: (kind, id) => deadlinesMs(kind, current.deadlines[id]),
    frame: (model, aspectRatio, resolution = model.resolution ?? "") => {
      const size = current.resolutions[resolution]?.frames[aspectRatio] ?? "0x0";
      return parseSize(size);
    },
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}

function read(path: string, before: CatalogFile | undefined): CatalogFile {
  const text = readFileSync(path, "utf8");
  const refused = (reason: string) => new Error(`${path}: ${reason}`);
  let file: CatalogFile;
  try {
    file = fromJsonString(CatalogSchema, text);
  } catch (error) {
    throw refused((error as Error).message);
  }
  const faults = catalogFaults(file, before);
  if (faults.length > 0) throw refused(faults.join("; "));
  return file;
}
