/** How many generations match the filters, and what they cost: a query of the cache. */
import { api, unwrap } from "../../api/client.ts";
import type { GenerationFilter } from "../../data/queries.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";

export function useTotals(filter: GenerationFilter) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...filter };
  return {
    queryKey: [...queryKeys.totals(keyPrefix), filter],
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/generation-totals", { params: { ...params, query } })),
  };
}
