/** Upstreams with scripted providers, and which of them the engine suspended. */
import type { Upstreams, Upstream } from "../../services/generation/upstreams/upstreams.ts";
import type { OperatorFault } from "../../services/generation/providers/provider.ts";
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
  suspended: [upstream: string, fault: OperatorFault][];
};

export function scriptedUpstreams(...upstreams: Upstream[]): ScriptedUpstreams {
  const scripted: ScriptedUpstreams = {
    availableUpstreams: upstreams,
    suspended: [],
    available: () =>
      scripted.availableUpstreams.map((upstream, priority) => ({ ...upstream, priority })),
    isServed: () => true,
    lackOf: () => undefined,
    byName: (name) => upstreams.find((upstream) => upstream.name === name),
    suspend: (upstream, { fault }) => void scripted.suspended.push([upstream.name, fault]),
  };
  return scripted;
}
