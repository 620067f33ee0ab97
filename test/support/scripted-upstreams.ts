/** Upstreams with scripted providers. */
import type { Upstreams, Upstream } from "../../services/generation/upstreams/upstreams.ts";
import { scriptedProvider, type ScriptedProvider } from "./scripted-provider.ts";

export type ScriptedUpstream = Omit<Upstream, "provider"> & { provider: ScriptedProvider };

export function scriptedUpstream(name: string, limits: Upstream["limits"] = {}): ScriptedUpstream {
  return {
    name,
    credential: `key of ${name}`,
    provider: scriptedProvider(),
    upstreamModel: `model of ${name}`,
    priority: 0,
    weight: 1,
    parameters: {},
    limits,
  };
}

export type ScriptedUpstreams = Upstreams & {
  /** Best first, for every model; a test may change them. */
  availableUpstreams: Upstream[];
};

export function scriptedUpstreams(...upstreams: Upstream[]): ScriptedUpstreams {
  const scripted: ScriptedUpstreams = {
    availableUpstreams: upstreams,
    of: () => scripted.availableUpstreams.map((upstream, priority) => ({ ...upstream, priority })),
    byName: (name) => upstreams.find((upstream) => upstream.name === name),
  };
  return scripted;
}
