/** listModels: GET /models. */
import type { components } from "#gen/openapi/media.ts";
import { presentModel } from "../presenters/model.ts";
import { presentWholeList } from "../presenters/page.ts";
import { catalogFor } from "./catalog.ts";
import type { Operation } from "./operation.ts";

export const listModels: Operation = (deps) => (request, reply) =>
  deps.reads.answer(request, reply, async () => {
    const models = await catalogFor(deps, request);
    return presentWholeList(models.map(presentModel)) satisfies components["schemas"]["ModelList"];
  });
