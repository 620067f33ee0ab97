/** Queries that several pages use. */
import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { operations } from "#gen/openapi/dashboard.ts";
import { api, unwrap } from "../api/client.ts";
import { isFinished } from "./generation.ts";
import { usePolling } from "./polling.ts";
import { queryKeys } from "./query-keys.ts";
import { useScope } from "./scope.ts";

const MINUTE_MS = 60_000;
const BALANCE_POLL_MS = 10_000;
const PAGE_SIZE = 20;

export type GenerationFilter = Omit<
  NonNullable<operations["listGenerations"]["parameters"]["query"]>,
  "mode" | "limit" | "after"
>;

export function useModels() {
  const { keyPrefix, params } = useScope();
  return useQuery({
    queryKey: queryKeys.models(keyPrefix),
    queryFn: () => unwrap(api.GET("/accounts/{account_id}/models", { params })),
    select: ({ data }) => data,
    staleTime: MINUTE_MS,
  });
}

/** The account's keys of the mode, also revoked ones. */
export function useApiKeys() {
  const { account, mode, params, may } = useScope();
  return useQuery({
    queryKey: queryKeys.apiKeys(account.id),
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/keys", { params: { path: params.path } })),
    select: ({ data }) => data.filter((key) => key.mode === mode),
    enabled: may("listKeys"),
  });
}

/** The limits of live Tokens of the account and its keys, and its alerts. */
export const limitsQuery = (accountId: string) =>
  queryOptions({
    queryKey: queryKeys.limits(accountId),
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/limits", { params: { path: { account_id: accountId } } }),
      ),
  });

export function useBalances() {
  const { account, params } = useScope();
  return useQuery({
    queryKey: queryKeys.balances(account.id),
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/balances", { params: { path: params.path } })),
    select: ({ data }) => ({
      live: data.find((balance) => balance.mode === "live"),
      test: data.find((balance) => balance.mode === "test"),
    }),
    refetchInterval: usePolling(BALANCE_POLL_MS),
  });
}

export function useUsage(days: number) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, days };
  return useQuery({
    queryKey: [...queryKeys.usage(keyPrefix), days],
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/usage", { params: { ...params, query } })),
  });
}

/** Reads a page of what matches. */
export function useGenerationPages(filter: GenerationFilter) {
  const { params } = useScope();
  return async (page: { limit: number; after?: string }) => {
    const query = { ...params.query, ...filter, ...page };
    const { next_after: next, ...answer } = await unwrap(
      api.GET("/accounts/{account_id}/generations", { params: { ...params, query } }),
    );
    return { ...answer, next };
  };
}

export function useGenerations(filter: GenerationFilter, limit = PAGE_SIZE) {
  const { keyPrefix } = useScope();
  const read = useGenerationPages(filter);
  const isSearch = filter.search !== undefined;
  const polling = usePolling();
  const interval = isSearch ? false : polling;
  const list = isSearch ? queryKeys.searches(keyPrefix) : queryKeys.generations(keyPrefix);
  return useInfiniteQuery({
    queryKey: [...list, filter, limit],
    queryFn: ({ pageParam: after }) => read({ limit, ...(after && { after }) }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.every((page) => page.data.every(isFinished)) ? false : interval,
    refetchOnWindowFocus: !isSearch,
  });
}

/** One generation with its timeline, transactions and deliveries; polled until it has finished. */
export function useGeneration(id: string | undefined) {
  const { keyPrefix, params } = useScope();
  const interval = usePolling();
  return useQuery({
    queryKey: queryKeys.generation(keyPrefix, id ?? ""),
    enabled: id !== undefined,
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/generations/{id}", {
          params: { ...params, path: { ...params.path, id: id ?? "" } },
        }),
      ),
    refetchInterval: ({ state: { data } }) =>
      data && isFinished(data.generation) ? false : interval,
  });
}

export type DeliveryFilter = Omit<
  operations["retrieveDeliveryTotals"]["parameters"]["query"],
  "mode"
>;

/** How many webhook deliveries match. */
export function useDeliveryTotals(filter: DeliveryFilter) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...filter };
  return {
    queryKey: [...queryKeys.deliveries(keyPrefix), "totals", filter] as const,
    queryFn: () =>
      unwrap(
        api.GET("/accounts/{account_id}/webhooks/delivery-totals", {
          params: { ...params, query },
        }),
      ),
  };
}
