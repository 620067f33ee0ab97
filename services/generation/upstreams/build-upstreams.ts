/** Builds the upstreams of an upstreams file, with one provider for each account. */
import type { Provider, ProviderSettings } from "../providers/provider.ts";
import type { Upstream } from "./upstreams.ts";
import type { KnownProviders } from "./known-providers.ts";
import { type Keys, type KeySource, readKeys } from "./keys.ts";
import { type ObserveCall, observedProvider } from "./observed.ts";
import type { UpstreamEntry, UpstreamsFile } from "./upstreams-file.ts";

/** An upstream of the file. */
export type ConfiguredUpstream = Upstream & {
  /** The catalog's model. */
  model: string;
  /** The provider's name. */
  providerName: string;
  /** False if the file disables the upstream: it takes no new tasks. */
  isEnabled: boolean;
};

/** An upstream whose credential has no key. */
export type MissingCredential = Pick<
  ConfiguredUpstream,
  "name" | "model" | "providerName" | "upstreamModel" | "credential"
>;

export type BuilderParts = Pick<ProviderSettings, "clock"> & {
  knownProviders: KnownProviders;
  keys: KeySource;
  callbackUrl: Upstream["callbackUrl"] | undefined;
  observe: ObserveCall;
};

/** `missingCredentials`: enabled upstreams that cannot be used, because their credential has no key. */
export function buildUpstreams(
  file: UpstreamsFile,
  { knownProviders, keys, callbackUrl, clock, observe }: BuilderParts,
): { upstreams: ConfiguredUpstream[]; missingCredentials: MissingCredential[] } {
  const providers = new Map<string, Provider>();
  const providerOf = (entry: UpstreamEntry, found: Keys): Provider | undefined => {
    const known = knownProviders[entry.provider];
    const base = entry.base_url ?? (known && "baseUrl" in known ? known.baseUrl : undefined);
    if (!known || base === undefined) return undefined;
    const baseUrl = base.replace(/\/$/, "");
    const id = JSON.stringify([entry.provider, entry.credential, baseUrl]);
    const provider = providers.get(id) ?? known.create({ clock, ...found, baseUrl });
    providers.set(id, provider);
    return provider;
  };
  const missingCredentials: MissingCredential[] = [];
  const upstreams = Object.entries(file.models).flatMap(([model, entries]) =>
    entries.flatMap((entry) => {
      const found = readKeys(keys, entry.credential);
      const provider = found && providerOf(entry, found);
      if (!provider) {
        if (entry.disabled !== true) missingCredentials.push(named(model, entry));
        return [];
      }
      const observed = observedProvider(provider, entry.name, observe);
      const callback = observed.callback && callbackUrl ? { callbackUrl } : {};
      return [{ ...configured(file, model, entry, observed), ...callback }];
    }),
  );
  return { upstreams, missingCredentials };
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
    ...(entry.capabilities ? { capabilities: entry.capabilities } : {}),
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
  const { name, credential, provider: providerName, model: upstreamModel } = entry;
  return { name, model, providerName, upstreamModel, credential };
}
