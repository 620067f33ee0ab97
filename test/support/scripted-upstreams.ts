/** Routes to scripted upstreams, and what the engine reported of them. */
import type { Providers, Route, RouteReport } from "../../services/generation/upstreams/index.ts";
import { scriptedProvider } from "./scripted-provider.ts";
import type { ScriptedProvider } from "./scripted-provider.ts";

export type ScriptedRoute = Omit<Route, "provider"> & { provider: ScriptedProvider };

export function scriptedRoute(name: string, limits: Route["limits"] = {}): ScriptedRoute {
  return {
    name,
    credential: `key of ${name}`,
    provider: scriptedProvider(),
    upstreamModel: `model of ${name}`,
    parameters: {},
    limits,
  };
}

export type ScriptedRoutes = Providers & {
  /** Best first, for every model; a test may change them. */
  open: Route[];
  reported: [route: string, outcome: RouteReport][];
};

export function scriptedRoutes(...routes: Route[]): ScriptedRoutes {
  const scripted: ScriptedRoutes = {
    open: routes,
    reported: [],
    routes: () => [...scripted.open],
    isRouted: () => true,
    named: (name) => routes.find((route) => route.name === name),
    report: (route, outcome) => void scripted.reported.push([route.name, outcome]),
  };
  return scripted;
}
