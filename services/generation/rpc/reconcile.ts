/** Reconcile: compares holds with generations for operators, and releases holds that nothing will ever resolve. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "./deps.ts";
import { compareHolds, releaseCutOff } from "../holds/compare-holds.ts";

/** Fails if billing cannot be reached; repeated, it does what is left. */
export function reconcile(deps: Deps): ServiceImpl<typeof GenerationService>["reconcile"] {
  return async ({ release }) => {
    const { holds, generations, discrepancies } = await compareHolds(deps);
    const found = [];
    for (const discrepancy of discrepancies) {
      const released = release && discrepancy.kind === "hold_without_generation";
      if (released) await releaseCutOff(deps, discrepancy);
      found.push({ ...discrepancy, released });
    }
    return { holds: BigInt(holds), generations: BigInt(generations), discrepancies: found };
  };
}
