/** Operations on the catalog. */
import type { FastifyRequest } from "fastify";
import type { Model } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { didYouMean } from "#runtime/did-you-mean.ts";
import { modeOf } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { callerOf } from "../http/request-state.ts";
import type { components } from "#gen/openapi/media.ts";
import { presentModel } from "../presenters/model.ts";
import { presentWholeList } from "../presenters/page.ts";
import { pathId, type Operation } from "./operation.ts";
import { Problem } from "../http/problem.ts";

/** Reads the catalog with the prices and availability that apply to the caller. */
export async function catalogFor(deps: Deps, request: FastifyRequest): Promise<Model[]> {
  const { accountId, mode } = callerOf(request);
  return (await deps.generation.listModels({ accountId, mode: modeOf(mode) })).models;
}

export const listModels: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, async () => {
    const models = await catalogFor(deps, request);
    return presentWholeList(models.map(presentModel)) satisfies components["schemas"]["ModelList"];
  });

export const retrieveModel: Operation = (deps) => async (request) => {
  return presentModel(pathModel(request, await catalogFor(deps, request)));
};

/** The one of `models` that the path names; 404 when none has that id. */
export function pathModel<T extends { id: string }>(
  request: FastifyRequest,
  models: readonly T[],
): T {
  const wanted = pathId(request);
  const model = models.find(({ id }) => id === wanted);
  if (model) return model;
  const suggestion = didYouMean(
    wanted,
    models.map(({ id }) => id),
  );
  const list = request.routeOptions.url?.replace(/\/:id$/, "");
  throw new Problem("model_not_found", {
    type: "not_found_error",
    message: `There is no such model.${suggestion} GET ${list} lists them.`,
  });
}
