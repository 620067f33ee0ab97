/** Makes routes of a routes file: one provider for each upstream account, one circuit for each route. */
import type { AdapterSettings } from "../providers/shared/adapter.ts";
import type { Upstream } from "./index.ts";
import type { Provider } from "../providers/provider.ts";
import type { Adapters } from "./adapters.ts";
import type { Circuit } from "./circuit.ts";
import { readKeys } from "./keys.ts";
import type { Keys, KeySource } from "./keys.ts";
import type { UpstreamEntry, UpstreamsFile } from "./upstreams-file.ts";

/** A route of the file in force. */
export type ConfiguredUpstream = Upstream & {
  /** The catalog's model. */
  model: string;
  /** The adapter's name. */
  adapter: string;
  priority: number;
  weight: number;
  /** Takes new tasks, as far as the file says. */
  isEnabled: boolean;
};

/** What is known of a route without its key. */
export type MissingCredential = Pick<
  ConfiguredUpstream,
  "name" | "model" | "adapter" | "upstreamModel" | "credential"
>;

/** What outlives a change of the file. */
export type Builder = {
  /** `keyless`: enabled routes that cannot be used because their credential has no key, and never had. */
  build: (file: UpstreamsFile) => { routes: ConfiguredUpstream[]; keyless: MissingCredential[] };
};

export type BuilderParts = Pick<AdapterSettings, "clock" | "fetchInput"> & {
  adapters: Adapters;
  keys: KeySource;
  circuitOf: (name: string) => Circuit;
  callbackUrl: Upstream["callbackUrl"] | undefined;
};

/** Providers, and keys that were seen once, are kept: tasks under way go on where a key file is gone. */
export function upstreamBuilder({
  adapters,
  keys,
  circuitOf,
  callbackUrl,
  clock,
  fetchInput,
}: BuilderParts): Builder {
  const lastKeys = new Map<string, Keys>();
  let kept = new Map<string, Provider>();

  const keysOf = (credential: string): Keys | undefined => {
    const found = readKeys(keys, credential) ?? lastKeys.get(credential);
    if (found) lastKeys.set(credential, found);
    return found;
  };

  return {
    build: (file) => {
      const inUse = new Map<string, Provider>();
      const providerOf = (entry: UpstreamEntry, found: Keys): Provider | undefined => {
        const known = adapters[entry.provider];
        if (!known) return undefined;
        const baseUrl = (entry.base_url ?? known.baseUrl).replace(/\/$/, "");
        const id = JSON.stringify([entry.provider, entry.credential, baseUrl, found]);
        const provider =
          inUse.get(id) ?? kept.get(id) ?? known.adapter({ clock, fetchInput, ...found, baseUrl });
        inUse.set(id, provider);
        return provider;
      };
      const keyless: MissingCredential[] = [];
      const routes = Object.entries(file.models).flatMap(([model, entries]) =>
        entries.flatMap((entry) => {
          const found = keysOf(entry.credential);
          const provider = found && providerOf(entry, found);
          if (!provider) {
            if (entry.disabled !== true) keyless.push(named(model, entry));
            return [];
          }
          const guarded = circuitOf(entry.name).guard(provider);
          const callable = guarded.callback && callbackUrl ? { callbackUrl } : {};
          return [{ ...configured(file, model, entry, guarded), ...callable }];
        }),
      );
      kept = inUse;
      return { routes, keyless };
    },
  };
}

function configured(
  file: UpstreamsFile,
  model: string,
  entry: UpstreamEntry,
  provider: Provider,
): ConfiguredUpstream {
  const account = file.credentials[entry.credential];
  return {
    ...named(model, entry),
    provider,
    parameters: entry.parameters ?? {},
    limits: {
      ...(account?.concurrency === undefined ? {} : { credentialConcurrency: account.concurrency }),
      ...(entry.concurrency === undefined ? {} : { modelConcurrency: entry.concurrency }),
      ...(account?.submits_per_second === undefined
        ? {}
        : { submitsPerSecond: account.submits_per_second }),
    },
    priority: entry.priority ?? 1,
    weight: entry.weight ?? 1,
    isEnabled: entry.disabled !== true,
  };
}

function named(model: string, entry: UpstreamEntry): MissingCredential {
  const { name, credential, provider: adapter, model: upstreamModel } = entry;
  return { name, model, adapter, upstreamModel, credential };
}
