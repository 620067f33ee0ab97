/** The models that can be used now, in OpenAI's shape. */
import type { FastifyRequest } from "fastify";
import type { components } from "#gen/openapi/openai.ts";
import { Availability } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { Problem } from "../http/problem.ts";
import type { Deps } from "../operations/deps.ts";
import { catalogFor } from "../operations/models.ts";
import { pathId } from "../operations/operation.ts";
import type { DialectOperation } from "./videos.ts";

type Schemas = components["schemas"];

/** openaiListModels: GET /models. */
export const listModels: DialectOperation = (deps) => async (request) => {
  const data = await usableModels(deps, request);
  return { object: "list", data } satisfies Schemas["OpenaiModelList"];
};

/** openaiRetrieveModel: GET /models/{id}. */
export const retrieveModel: DialectOperation = (deps) => async (request) => {
  const models = await usableModels(deps, request);
  const model = models.find(({ id }) => id === pathId(request));
  if (!model) throw new Problem("model_not_found", { type: "not_found_error" });
  return model;
};

async function usableModels(
  deps: Deps,
  request: FastifyRequest,
): Promise<Schemas["OpenaiModel"][]> {
  const models = await catalogFor(deps, request);
  return models
    .filter(({ availability }) => availability === Availability.AVAILABLE)
    .map(({ id }) => ({ id, object: "model", created: 0, owned_by: "media" }));
}
