/** The models that can be used now, in OpenAI's shape. */
import type { FastifyRequest } from "fastify";
import type { components } from "#gen/openapi/openai.ts";
import { Availability } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../operations/deps.ts";
import { catalogFor, pathModel } from "../operations/models.ts";
import type { DialectOperation } from "./videos.ts";

type Schemas = components["schemas"];

export const listModels: DialectOperation = (deps) => async (request) => {
  const data = await usableModels(deps, request);
  return { object: "list", data } satisfies Schemas["OpenaiModelList"];
};

export const retrieveModel: DialectOperation = (deps) => async (request) =>
  pathModel(request, await usableModels(deps, request));

async function usableModels(
  deps: Deps,
  request: FastifyRequest,
): Promise<Schemas["OpenaiModel"][]> {
  const models = await catalogFor(deps, request);
  return models
    .filter(({ availability }) => availability === Availability.AVAILABLE)
    .map(({ id }) => ({ id, object: "model", created: 0, owned_by: "media" }));
}
