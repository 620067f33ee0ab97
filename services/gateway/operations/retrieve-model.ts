/** retrieveModel: GET /models/{id}. */
import { presentModel } from "../presenters/model.ts";
import { Problem } from "../problem.ts";
import { catalogFor } from "./catalog.ts";
import { pathId } from "./operation.ts";
import type { Operation } from "./operation.ts";

export const retrieveModel: Operation = (deps) => async (request) => {
  const models = await catalogFor(deps, request);
  const model = models.find(({ id }) => id === pathId(request));
  if (!model) throw new Problem("model_not_found", { type: "not_found_error" });
  return presentModel(model);
};
