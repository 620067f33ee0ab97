/** listGenerations: GET /accounts/{account_id}/generations. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { kindOf } from "#runtime/kind.ts";
import { publicGeneration } from "#runtime/public-generation.ts";
import { pageParams, readPage } from "../../operations/list.ts";
import { filtersOf } from "../../operations/list-generations.ts";
import { presentPage } from "../../presenters/page.ts";
import type { DashboardOperation } from "./operation.ts";

type Query = operations["listGenerations"]["parameters"]["query"];

export const listGenerations: DashboardOperation = (deps) => async (request) => {
  const { kind, prompt, key } = request.query as Query;
  const { generations, nextAfter } = await readPage(
    deps.generation.searchGenerations({
      ...pageParams(request),
      ...filtersOf(request.query as Query),
      ...(kind === undefined ? {} : { kind: kindOf(kind) }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(key === undefined ? {} : { keyId: key === "none" ? "" : key }),
    }),
  );
  const assetBaseUrl = deps.assetBaseUrl();
  const data = generations.map((generation) => publicGeneration(generation, assetBaseUrl));
  return {
    ...presentPage(data, nextAfter !== undefined),
    ...(nextAfter === undefined ? {} : { next_after: nextAfter }),
  };
};
