/** Which upstream serves which model in which mode. */
import type { ModeName } from "#runtime/mode.ts";
import type { Provider } from "./provider.ts";

export type Route = { name: string; provider: Provider };

export type Providers = {
  /** The route that a new task takes, or undefined where the model has none in this mode. */
  route: (mode: ModeName, model: string) => Route | undefined;
  /** The provider that a task was given to before. */
  named: (name: string) => Provider | undefined;
};

const SIMULATOR = "simulator";

/** Test mode always runs on the simulator; live mode only where `liveProvider` says so. */
export function createProviders(
  simulator: Provider,
  liveProvider: "none" | "simulator",
): Providers {
  return {
    route: (mode) =>
      mode === "test" || liveProvider === SIMULATOR
        ? { name: SIMULATOR, provider: simulator }
        : undefined,
    named: (name) => (name === SIMULATOR ? simulator : undefined),
  };
}
