/** CreateVideo: accepts a video generation and answers while it is pending. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "./deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { createCallOf, createGeneration } from "./create-generation.ts";

/**
 * Idempotent by `generation_id`: a repeated call with the same content answers the generation as it is now and charges
 * nothing. Otherwise the price is reserved and the generation is stored before the answer. Errors: as
 * `createGeneration`.
 */
export function createVideo(deps: Deps): ServiceImpl<typeof GenerationService>["createVideo"] {
  return async (request, context) => {
    const { row, replayed } = await createGeneration(deps, createCallOf("video", request), context);
    return { generation: toGeneration(row), replayed };
  };
}
