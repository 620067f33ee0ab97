/** deleteGeneration: DELETE /accounts/{account_id}/generations/{id}. */
import { deleteGeneration as deleteOne } from "../../operations/delete-generation.ts";
import { pathGenerationId } from "../../operations/retrieve-generation.ts";
import type { DashboardOperation } from "./operation.ts";

export const deleteGeneration: DashboardOperation = (deps) => async (request, reply) => {
  const contract = deps.dashboardContract;
  const generationId = pathGenerationId({ ...deps, contract }, request, "GenerationId");
  return deleteOne(deps, request, reply, generationId);
};
