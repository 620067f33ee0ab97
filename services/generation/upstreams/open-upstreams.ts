/** Opens the upstreams of the upstreams file. */
import { readFileSync } from "node:fs";
import { asSetting } from "#runtime/env.ts";
import type { Log } from "#runtime/log.ts";
import type { Upstreams } from "./upstreams.ts";
import type { KnownProviders } from "./known-providers.ts";
import {
  type BuilderParts,
  type ConfiguredUpstream,
  type MissingCredential,
  buildUpstreams,
} from "./build-upstreams.ts";
import { upstreamsFaults } from "./check-upstreams.ts";
import type { KeySource } from "./keys.ts";
import { parseUpstreams, type UpstreamsFile } from "./upstreams-file.ts";

export type UpstreamsConfig = {
  /** The path of the upstreams file (UPSTREAMS_FILE); undefined: there are no upstreams. */
  path: string | undefined;
  keys: KeySource;
};

/** The upstreams of live mode. */
export type ConfiguredUpstreams = Upstreams & {
  /** In the order of the file, disabled ones too. */
  all: readonly ConfiguredUpstream[];
  missingCredentials: readonly MissingCredential[];
};

export type UpstreamsParts = Omit<BuilderParts, "keys"> & {
  log: Log;
  /** True if the catalog has this model. */
  isModel: (id: string) => boolean;
  metrics: { upstreamsWithoutKey: { set: (upstreams: number) => void } };
};

const NO_UPSTREAMS: UpstreamsFile = { credentials: {}, models: {} };

/** Throws if the file is invalid. */
export function openUpstreams(config: UpstreamsConfig, parts: UpstreamsParts): ConfiguredUpstreams {
  const { log, metrics } = parts;
  const file = asSetting("UPSTREAMS_FILE", () => readUpstreams(config.path, parts.knownProviders));
  const { upstreams, missingCredentials } = buildUpstreams(file, { ...parts, keys: config.keys });
  metrics.upstreamsWithoutKey.set(missingCredentials.length);
  if (missingCredentials.length > 0) {
    const names = missingCredentials.map(({ name }) => name);
    log.error({ alert: true, upstreams: names }, "upstreams without a key; not used");
  }
  const unknownModels = Object.keys(file.models).filter((id) => !parts.isModel(id));
  if (unknownModels.length > 0)
    log.warn({ models: unknownModels }, "upstreams of models that are not in the catalog");
  const byPriority = upstreams
    .filter(({ isEnabled }) => isEnabled)
    .toSorted((a, b) => a.priority - b.priority);
  const byModel = Map.groupBy(byPriority, ({ model }) => model);
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  return {
    of: (_mode, model) => byModel.get(model) ?? [],
    byName: (name) => byName.get(name),
    all: upstreams,
    missingCredentials,
  };
}

function readUpstreams(path: string | undefined, knownProviders: KnownProviders): UpstreamsFile {
  if (path === undefined) return NO_UPSTREAMS;
  const parsed = parseUpstreams(readFileSync(path, "utf8"));
  const faults = "faults" in parsed ? parsed.faults : upstreamsFaults(parsed.file, knownProviders);
  if ("faults" in parsed || faults.length > 0) throw new Error(`${path}: ${faults.join("; ")}`);
  return parsed.file;
}
