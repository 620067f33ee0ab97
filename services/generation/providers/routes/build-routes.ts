/** Makes routes of a routes file: one provider for each upstream account, one circuit for each route. */
import type { AdapterSettings } from "../adapter.ts";
import type { Route } from "../index.ts";
import type { Provider } from "../provider.ts";
import type { Adapters } from "./adapters.ts";
import type { Circuit } from "./circuit.ts";
import { readKeys } from "./keys.ts";
import type { Keys, KeySource } from "./keys.ts";
import type { RouteEntry, RoutesFile } from "./routes-file.ts";

/** A route of the file in force. */
export type Configured = Route & {
  /** The catalog's model. */
  model: string;
  /** The adapter's name. */
  adapter: string;
  priority: number;
  weight: number;
  /** Takes new tasks, as far as the file says. */
  isEnabled: boolean;
};

/** What outlives a change of the file. */
export type Builder = {
  /** `withoutKey` names the enabled routes whose credential has none, and never had. */
  build: (file: RoutesFile) => { routes: Configured[]; withoutKey: string[] };
};

export type BuilderParts = Pick<AdapterSettings, "clock" | "fetchInput"> & {
  adapters: Adapters;
  keys: KeySource;
  circuitOf: (name: string) => Circuit;
};

/** Providers, and keys that were seen once, are kept: tasks under way go on where a key file is gone. */
export function routeBuilder({ adapters, keys, circuitOf, ...settings }: BuilderParts): Builder {
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
      const providerOf = (entry: RouteEntry, found: Keys): Provider | undefined => {
        const known = adapters[entry.provider];
        if (!known) return undefined;
        const baseUrl = (entry.base_url ?? known.baseUrl).replace(/\/$/, "");
        const id = JSON.stringify([entry.provider, entry.credential, baseUrl, found]);
        const provider =
          inUse.get(id) ?? kept.get(id) ?? known.adapter({ ...settings, ...found, baseUrl });
        inUse.set(id, provider);
        return provider;
      };
      const withoutKey: string[] = [];
      const routes = Object.entries(file.models).flatMap(([model, entries]) =>
        entries.flatMap((entry) => {
          const found = keysOf(entry.credential);
          const provider = found && providerOf(entry, found);
          if (!provider) {
            if (entry.disabled !== true) withoutKey.push(entry.name);
            return [];
          }
          const guarded = circuitOf(entry.name).guard(provider);
          return [configured(file, model, entry, guarded)];
        }),
      );
      kept = inUse;
      return { routes, withoutKey };
    },
  };
}

function configured(
  file: RoutesFile,
  model: string,
  entry: RouteEntry,
  provider: Provider,
): Configured {
  const account = file.credentials[entry.credential];
  return {
    name: entry.name,
    credential: entry.credential,
    provider,
    upstreamModel: entry.model,
    parameters: entry.parameters ?? {},
    limits: {
      ...(account?.concurrency === undefined ? {} : { credentialConcurrency: account.concurrency }),
      ...(entry.concurrency === undefined ? {} : { modelConcurrency: entry.concurrency }),
      ...(account?.submits_per_second === undefined
        ? {}
        : { submitsPerSecond: account.submits_per_second }),
    },
    model,
    adapter: entry.provider,
    priority: entry.priority ?? 1,
    weight: entry.weight ?? 1,
    isEnabled: entry.disabled !== true,
  };
}
