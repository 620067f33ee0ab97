/** Upstreams, and which of them serve a mode: the simulator or the upstreams file (`open-upstreams.ts`). */
import type { ModeName } from "#vocabulary/names.ts";
import type { Capabilities } from "../domain/capabilities.ts";
import type { UpstreamFields } from "../domain/job.ts";
import type { Provider } from "../providers/provider.ts";
import type { SlotLimits, SlotOffer } from "../store/slots.ts";

type Named = Pick<SlotOffer, "name" | "credential" | "upstreamModel" | "priority" | "weight">;

export type Upstream = Named &
  UpstreamFields & {
    provider: Provider;
    limits: SlotLimits;
    /** What it can make, where that is less than its model offers; absent: all of it. */
    capabilities?: Capabilities;
  };

export type Upstreams = {
  /** The enabled upstreams of the model, by priority, paused ones too. */
  of: (mode: ModeName, model: string) => readonly Upstream[];
  /** The upstream of an existing task; also finds disabled ones. */
  byName: (name: string) => Upstream | undefined;
};

/** The upstream of test mode. */
export const SIMULATOR = "simulator";

/** `liveProvider` "simulator" serves live mode too. A task continues with the upstream that it started with. */
export function createUpstreams(
  simulator: Provider,
  liveProvider: "none" | "simulator",
  configured: Upstreams,
): Upstreams {
  const simulated: Upstream = {
    name: SIMULATOR,
    credential: SIMULATOR,
    provider: simulator,
    upstreamModel: SIMULATOR,
    priority: 0,
    weight: 1,
    parameters: {},
    limits: {},
  };
  const isSimulated = (mode: ModeName) => mode === "test" || liveProvider === SIMULATOR;
  return {
    of: (mode, model) => (isSimulated(mode) ? [simulated] : configured.of(mode, model)),
    byName: (name) => (name === SIMULATOR ? simulated : configured.byName(name)),
  };
}
