/** listModels: GET /models. */
import type { components } from "#gen/openapi/media.ts";
import { presentModel } from "../presenters/model.ts";
import { catalogFor } from "./catalog.ts";
import type { Operation } from "./operation.ts";

export const listModels: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, async () => {
    const models = await catalogFor(deps, request);
    return {
      object: "list",
      data: models.map(presentModel),
      has_more: false,
    } satisfies components["schemas"]["ModelList"];
  });
