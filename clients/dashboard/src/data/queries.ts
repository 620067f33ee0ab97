/** Queries that several pages use. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { operations } from "#gen/openapi/dashboard.ts";
import { api, unwrap } from "../api/client.ts";
import { isFinished } from "./generation.ts";
import { pollMs, useList } from "./list.ts";
import { queryKeys } from "./query-keys.ts";
import { useScope } from "./scope.ts";

const MINUTE_MS = 60_000;
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
    // Tokens are reserved while something runs.
    refetchInterval: ({ state: { data } }) =>
      pollMs(data?.data.some(({ reserved }) => reserved > 0) ?? false),
  });
}

export function useUsage(days: number) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, days };
  return useQuery({
    queryKey: [...queryKeys.usage(keyPrefix), days],
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/usage", { params: { ...params, query } })),
    refetchInterval: pollMs(false),
  });
}

export function useGenerations(filter: GenerationFilter, limit = PAGE_SIZE, isEnabled = true) {
  const { keyPrefix, params } = useScope();
  return useList({
    queryKey: [...queryKeys.generations(keyPrefix), filter, limit],
    read: (page) => {
      const query = { ...params.query, ...filter, limit, ...page };
      return unwrap(
        api.GET("/accounts/{account_id}/generations", { params: { ...params, query } }),
      );
    },
    idOf: ({ id }) => id,
    isRunning: (generation) => !isFinished(generation),
    isSearch: filter.search !== undefined,
    isEnabled,
  });
}

/** One generation with its timeline, transactions and deliveries. */
export function useGeneration(id: string | undefined) {
  const { keyPrefix, params } = useScope();
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
      pollMs(data !== undefined && !isFinished(data.generation)),
  });
}

export type DeliveryFilter = Omit<
  operations["listDeliveries"]["parameters"]["query"],
  "mode" | "limit" | "after"
>;

export function useDeliveries(filter: DeliveryFilter, limit = PAGE_SIZE) {
  const { keyPrefix, params, may } = useScope();
  return useList({
    queryKey: [...queryKeys.deliveries(keyPrefix), "list", filter, limit],
    read: (page) => {
      const query = { ...params.query, ...filter, limit, ...page };
      return unwrap(
        api.GET("/accounts/{account_id}/webhooks/deliveries", { params: { ...params, query } }),
      );
    },
    idOf: ({ id }) => id,
    isRunning: ({ status, attempts }) => status === "pending" && attempts.length === 0,
    isEnabled: may("listDeliveries"),
  });
}
