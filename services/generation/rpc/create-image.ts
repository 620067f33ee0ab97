/** CreateImage: accepts an image generation and waits for its end. */
import type { ServiceImpl } from "@connectrpc/connect";
import { turnKey } from "#runtime/rpc/server/interceptors.ts";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "./deps.ts";
import { toGeneration } from "../domain/generation.ts";
import { createCallOf, createGeneration } from "./create-generation.ts";
import { deleted } from "./refusals.ts";
import { waitForEnd, waitUntil } from "./wait-for-end.ts";

/**
 * Creates as CreateVideo does, with the same errors. Answers once the image has ended, or after `wait_seconds` with the
 * image as it is then. A caller that hangs up ends only the wait.
 */
export function createImage(deps: Deps): ServiceImpl<typeof GenerationService>["createImage"] {
  return async (request, context) => {
    using waiter = deps.completions.waiterOf(request.generationId);
    const giveUpAt = waitUntil(deps, context, request.waitSeconds * 1000);
    const call = createCallOf("image", request);
    const { row, replayed } = await createGeneration(deps, call, context);
    context.values.get(turnKey)?.pause();
    const ended = await waitForEnd(deps, waiter, row, giveUpAt, context.signal);
    if (ended.deletedAt) throw deleted();
    return { generation: toGeneration(ended), replayed };
  };
}
