/** Routes to scripted upstreams, and what the engine reported of them. */
import type {
  Upstreams,
  Upstream,
  UpstreamReport,
} from "../../services/generation/upstreams/index.ts";
import { scriptedProvider } from "./scripted-provider.ts";
import type { ScriptedProvider } from "./scripted-provider.ts";

export type ScriptedRoute = Omit<Upstream, "provider"> & { provider: ScriptedProvider };

export function scriptedRoute(name: string, limits: Upstream["limits"] = {}): ScriptedRoute {
  return {
    name,
    credential: `key of ${name}`,
    provider: scriptedProvider(),
    upstreamModel: `model of ${name}`,
    parameters: {},
    limits,
  };
}

export type ScriptedRoutes = Upstreams & {
  /** Best first, for every model; a test may change them. */
  open: Upstream[];
  reported: [route: string, outcome: UpstreamReport][];
};

export function scriptedRoutes(...routes: Upstream[]): ScriptedRoutes {
  const scripted: ScriptedRoutes = {
    open: routes,
    reported: [],
    available: () => [...scripted.open],
    isServed: () => true,
    byName: (name) => routes.find((route) => route.name === name),
    report: (route, outcome) => void scripted.reported.push([route.name, outcome]),
  };
  return scripted;
}
