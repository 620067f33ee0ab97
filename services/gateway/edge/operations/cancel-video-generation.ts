/** cancelVideoGeneration: POST /videos/generations/{id}/cancel. */
import { modeOf } from "#vocabulary/mode.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { callerOf } from "../http/request-state.ts";
import { required } from "../presenters/required.ts";
import type { Operation } from "./operation.ts";
import { pathGenerationId } from "./retrieve-generation.ts";

/** Generation calls the upstream for up to 10 s and then settles. */
export const cancelVideoGeneration: Operation = (deps) => async (request) => {
  const generationId = pathGenerationId(deps, request, "VideoGenerationId");
  const { accountId, mode } = callerOf(request);
  request.turn?.pause();
  const { generation } = await deps.generation.cancelVideo({
    accountId,
    mode: modeOf(mode),
    generationId,
  });
  return publicGeneration(required(generation), deps.assetBaseUrl());
};
