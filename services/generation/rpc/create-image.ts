/** CreateImage: an image generation, awaited. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { createGeneration } from "./create-generation.ts";
import { required } from "./required.ts";
import { waitForEnd } from "./wait-for-end.ts";

export function createImage(deps: Deps): ServiceImpl<typeof GenerationService>["createImage"] {
  return async (request, context) => {
    const { row, replayed } = await createGeneration(deps, {
      accountId: request.accountId,
      mode: modeName(request.mode),
      kind: "image",
      id: request.generationId,
      model: request.model,
      given: required(request.input, "input"),
      replayOnly: request.replayOnly,
      maxUnfinished: request.maxUnfinished,
    });
    const ended = await waitForEnd(deps, row, request.waitSeconds * 1000, context.signal);
    return { generation: toGeneration(ended), replayed };
  };
}
