/** Upstreams with scripted providers, and the reports that the engine made about them. */
import type {
  Upstreams,
  Upstream,
  UpstreamReport,
} from "../../services/generation/upstreams/index.ts";
import { scriptedProvider } from "./scripted-provider.ts";
import type { ScriptedProvider } from "./scripted-provider.ts";

export type ScriptedUpstream = Omit<Upstream, "provider"> & { provider: ScriptedProvider };

export function scriptedUpstream(name: string, limits: Upstream["limits"] = {}): ScriptedUpstream {
  return {
    name,
    credential: `key of ${name}`,
    provider: scriptedProvider(),
    upstreamModel: `model of ${name}`,
    parameters: {},
    limits,
  };
}

export type ScriptedUpstreams = Upstreams & {
  /** Best first, for every model; a test may change them. */
  availableUpstreams: Upstream[];
  reported: [upstream: string, outcome: UpstreamReport][];
};

export function scriptedUpstreams(...upstreams: Upstream[]): ScriptedUpstreams {
  const scripted: ScriptedUpstreams = {
    availableUpstreams: upstreams,
    reported: [],
    available: () => [...scripted.availableUpstreams],
    isServed: () => true,
    lackOf: () => undefined,
    byName: (name) => upstreams.find((upstream) => upstream.name === name),
    report: (upstream, outcome) => void scripted.reported.push([upstream.name, outcome]),
  };
  return scripted;
}
