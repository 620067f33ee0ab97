/** FindEnded: which of many generations have ended, in one look. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { listEnded } from "../store/lists.ts";

export function findEnded(deps: Deps): ServiceImpl<typeof GenerationService>["findEnded"] {
  return async ({ generations }) => ({ generationIds: await listEnded(deps.sql, generations) });
}
