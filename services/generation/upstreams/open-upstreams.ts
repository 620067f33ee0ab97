/** Opens the upstreams of the upstreams file with their keys, and one provider for each account. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { asSetting } from "#runtime/env.ts";
import type { Base } from "#runtime/service/service.ts";
import type { Provider } from "../providers/provider.ts";
import type { KnownProviders } from "./known-providers.ts";
import type { Observe } from "./observed.ts";
import { readUpstreams, type UpstreamEntry, type UpstreamsFile } from "./upstreams-file.ts";
import type { Upstream, Upstreams } from "./upstreams.ts";

export type UpstreamsConfig = {
  /** The path of the upstreams file (UPSTREAMS_FILE); undefined: there are no upstreams. */
  path: string | undefined;
  /** By credential, from the environment. */
  keys: Readonly<Record<string, string>>;
  /** Has a file `<credential>` with its key; takes precedence over the environment. */
  keysDirectory: string | undefined;
};

export type ConfiguredUpstream = Upstream & {
  /** The catalog's model. */
  model: string;
  providerName: string;
  /** False if the file disables the upstream: it takes no new tasks. */
  isEnabled: boolean;
};

export type MissingCredential = Pick<
  ConfiguredUpstream,
  "name" | "model" | "providerName" | "upstreamModel" | "credential"
>;

/** The upstreams of live mode. */
export type ConfiguredUpstreams = Upstreams & {
  /** In the order of the file, disabled ones too. */
  all: readonly ConfiguredUpstream[];
  missingCredentials: readonly MissingCredential[];
};

export type UpstreamsParts = Pick<Base, "clock" | "log"> & {
  knownProviders: KnownProviders;
  callbackUrl: Upstream["callbackUrl"] | undefined;
  observe: Observe;
  /** True if the catalog has this model. */
  isModel: (id: string) => boolean;
  metrics: { upstreamsWithoutKey: { set: (upstreams: number) => void } };
};

const NO_UPSTREAMS: UpstreamsFile = { credentials: {}, models: {} };

/** Throws if the file is invalid. */
export function openUpstreams(config: UpstreamsConfig, parts: UpstreamsParts): ConfiguredUpstreams {
  const { log, metrics } = parts;
  const file = asSetting("UPSTREAMS_FILE", () =>
    config.path === undefined ? NO_UPSTREAMS : readUpstreams(config.path, parts.knownProviders),
  );
  const { upstreams, missingCredentials } = buildUpstreams(file, config, parts);
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

/** `missingCredentials`: enabled upstreams that cannot be used, because their credential has no key. */
function buildUpstreams(
  file: UpstreamsFile,
  { keys, keysDirectory }: UpstreamsConfig,
  { knownProviders, callbackUrl, clock, observe }: UpstreamsParts,
): { upstreams: ConfiguredUpstream[]; missingCredentials: MissingCredential[] } {
  const providers = new Map<string, Provider>();
  const providerOf = (entry: UpstreamEntry): Provider | undefined => {
    const key = fileIn(keysDirectory, entry.credential) ?? keys[entry.credential];
    const known = knownProviders[entry.provider];
    const base = entry.base_url ?? known?.baseUrl;
    if (key === undefined || !known || base === undefined) return undefined;
    const baseUrl = base.replace(/\/$/, "");
    const id = JSON.stringify([entry.provider, entry.credential, baseUrl]);
    const provider = providers.get(id) ?? known.create({ clock, key, baseUrl });
    providers.set(id, provider);
    return provider;
  };
  const upstreams: ConfiguredUpstream[] = [];
  const missingCredentials: MissingCredential[] = [];
  const entries = Object.entries(file.models).flatMap(([model, all]) =>
    all.map((entry) => [model, entry] as const),
  );
  for (const [model, entry] of entries) {
    const { name, credential, provider: providerName, model: upstreamModel, capabilities } = entry;
    const named = { name, model, providerName, upstreamModel, credential };
    const isEnabled = entry.disabled !== true;
    const provider = providerOf(entry);
    if (!provider) {
      if (isEnabled) missingCredentials.push(named);
      continue;
    }
    const account = file.credentials[credential];
    upstreams.push({
      ...named,
      provider: observe(provider, name),
      parameters: entry.parameters ?? {},
      limits: {
        credentialLimit: account?.concurrency,
        modelLimit: entry.concurrency,
        intervalMs: account?.submits_per_second && 1_000 / account.submits_per_second,
      },
      priority: entry.priority ?? 1,
      weight: entry.weight ?? 1,
      isEnabled,
      ...(capabilities ? { capabilities } : {}),
      ...(provider.callback && callbackUrl ? { callbackUrl } : {}),
    });
  }
  return { upstreams, missingCredentials };
}

function fileIn(directory: string | undefined, name: string): string | undefined {
  const path = join(directory ?? "", name);
  if (directory === undefined || !existsSync(path)) return undefined;
  return asSetting("PROVIDER_KEYS_DIR", () => readFileSync(path, "utf8")).trim() || undefined;
}
