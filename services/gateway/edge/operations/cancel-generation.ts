/** cancelVideoGeneration and cancelImageGeneration. */
import { kindOfId } from "#vocabulary/kind.ts";
import { modeOf } from "#vocabulary/mode.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { callerOf } from "../http/request-state.ts";
import { required } from "../presenters/required.ts";
import type { Operation } from "./operation.ts";
import { pathGenerationId } from "./retrieve-generation.ts";

/** Generation calls the upstream for up to 10 s and then settles. `idSchema`: the name of a schema of the document. */
export function cancel(idSchema: string): Operation {
  return (deps) => async (request) => {
    const generationId = pathGenerationId(deps, request, idSchema);
    const { accountId, mode } = callerOf(request);
    request.turn?.pause();
    const { generation } = await deps.generation.cancelGeneration({
      accountId,
      mode: modeOf(mode),
      kind: kindOfId(generationId),
      generationId,
    });
    return publicGeneration(required(generation), deps.assetBaseUrl());
  };
}

export const cancelImageGeneration = cancel("ImageGenerationId");

export const cancelVideoGeneration = cancel("VideoGenerationId");
