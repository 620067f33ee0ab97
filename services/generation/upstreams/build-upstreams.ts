/** Builds the upstreams of an upstreams file: one provider for each account, one circuit for each upstream. */
import type { Provider, ProviderSettings } from "../providers/provider.ts";
import type { Upstream } from "./upstreams.ts";
import type { KnownProviders } from "./known-providers.ts";
import type { Circuit } from "./circuit.ts";
import { type Keys, type KeySource, readKeys } from "./keys.ts";
import { type ObserveCall, observedProvider } from "./observed.ts";
import type { UpstreamEntry, UpstreamsFile } from "./upstreams-file.ts";
import { addMs, type Clock } from "#runtime/clock.ts";
import { pauseOf } from "../domain/waits.ts";
import { PollPausedError, retryAfterOf } from "../providers/shared/outcome.ts";

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
  circuitOf: (name: string) => Circuit;
  callbackUrl: Upstream["callbackUrl"] | undefined;
  observe: ObserveCall;
};

/** `missingCredentials`: enabled upstreams that cannot be used, because their credential has no key. */
export function buildUpstreams(
  file: UpstreamsFile,
  { knownProviders, keys, circuitOf, callbackUrl, clock, observe }: BuilderParts,
): { upstreams: ConfiguredUpstream[]; missingCredentials: MissingCredential[] } {
  const providers = new Map<string, Provider>();
  const providerOf = (entry: UpstreamEntry, found: Keys): Provider | undefined => {
    const known = knownProviders[entry.provider];
    const base = entry.base_url ?? (known && "baseUrl" in known ? known.baseUrl : undefined);
    if (!known || base === undefined) return undefined;
    const baseUrl = base.replace(/\/$/, "");
    const id = JSON.stringify([entry.provider, entry.credential, baseUrl]);
    const provider =
      providers.get(id) ?? withPollPauses(known.create({ clock, ...found, baseUrl }), clock);
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
      const guarded = circuitOf(entry.name).guard(observedProvider(provider, entry.name, observe));
      const callback = guarded.callback && callbackUrl ? { callbackUrl } : {};
      return [{ ...configured(file, model, entry, guarded), ...callback }];
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

/**
 * Honours the wait that an upstream asks for in answer to a poll: it concerns all polls of the account of `provider`.
 * Until the wait is over its polls throw a PollPausedError, and nothing is sent.
 */
export function withPollPauses(provider: Provider, clock: Clock): Provider {
  let pausedUntil = new Date(0);
  return {
    ...provider,
    poll: async (upstreamId, signal) => {
      const leftMs = pausedUntil.getTime() - clock.now().getTime();
      if (leftMs > 0) throw new PollPausedError(leftMs);
      try {
        return await provider.poll(upstreamId, signal);
      } catch (error) {
        const waitMs = retryAfterOf(error);
        if (waitMs !== undefined) pausedUntil = addMs(clock.now(), pauseOf(waitMs));
        throw error;
      }
    },
  };
}
