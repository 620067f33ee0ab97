/** Reconcile: compares holds with generations for operators. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { compareHolds } from "../reconcile/compare.ts";

/** Changes nothing; any discrepancy is a fault to be examined. Fails if billing cannot be reached. */
export function reconcile(deps: Deps): ServiceImpl<typeof GenerationService>["reconcile"] {
  return async () => {
    const { holds, generations, discrepancies } = await compareHolds(deps);
    return { holds: BigInt(holds), generations: BigInt(generations), discrepancies };
  };
}
