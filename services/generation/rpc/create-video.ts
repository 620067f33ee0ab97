/** CreateVideo: an accepted video generation, pending. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { createGeneration } from "./create-generation.ts";
import { required } from "./required.ts";

export function createVideo(deps: Deps): ServiceImpl<typeof GenerationService>["createVideo"] {
  return async (request) => {
    const { row, replayed } = await createGeneration(deps, {
      accountId: request.accountId,
      mode: modeName(request.mode),
      kind: "video",
      id: request.generationId,
      model: request.model,
      given: required(request.input, "input"),
      replayOnly: request.replayOnly,
      maxUnfinished: request.maxUnfinished,
    });
    return { generation: toGeneration(row), replayed };
  };
}
