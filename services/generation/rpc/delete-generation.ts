/** DeleteGeneration: records that an account deletes one of its generations; a worker carries it out. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { kindName } from "#vocabulary/kind.ts";
import { modeName } from "#vocabulary/mode.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "./deps.ts";
import { deleteGenerationIfEnded } from "../store/deletions.ts";
import { findVisible } from "../store/find-generation.ts";
import { notFound } from "./refusals.ts";

/** A deleted generation is answered as the first time. Errors: NOT_FOUND; NOT_FINISHED. */
export function deleteGeneration(
  deps: Deps,
): ServiceImpl<typeof GenerationService>["deleteGeneration"] {
  return async (request) => {
    const { accountId, generationId: id } = request;
    const address = { accountId, mode: modeName(request.mode), kind: kindName(request.kind), id };
    const row = await findVisible(deps.find, address);
    if (!row) throw notFound(id);
    if (row.completedAt === null) throw notFinished();
    if (await deleteGenerationIfEnded(deps.sql, row, deps.clock.now())) {
      deps.wake();
    }
    return {};
  };
}

function notFinished(): Error {
  return refusal({
    reason: ErrorReason.NOT_FINISHED,
    message: "The generation has not ended. Cancel it or wait for its end, then delete it.",
  });
}
