/** The queries that several pages use, their keys, and how often they read again. */
import { pollMs } from "./refetch.ts";
import { api, type Mode, unwrap } from "../api/client.ts";
import { queryOptions, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { operations } from "#gen/openapi/dashboard.ts";
import { isFinished } from "./generation.ts";
import { useScope } from "./scope.ts";
import { inMoney } from "../../../typescript/money.ts";

type KeyPrefix = readonly [accountId: string, mode: Mode];

export const queryKeys = {
  sessions: ["sessions"] as const,
  passkeys: ["passkeys"] as const,
  balances: (accountId: string) => [accountId, "balances"] as const,
  apiKeys: (accountId: string) => [accountId, "api-keys"] as const,
  limits: (accountId: string) => [accountId, "limits"] as const,
  members: (accountId: string) => [accountId, "members"] as const,
  invitations: (accountId: string) => [accountId, "invitations"] as const,
  requests: (accountId: string) => [accountId, "requests"] as const,
  auditLog: (accountId: string) => [accountId, "audit-log"] as const,
  models: (keyPrefix: KeyPrefix) => [...keyPrefix, "models"] as const,
  usage: (keyPrefix: KeyPrefix) => [...keyPrefix, "usage"] as const,
  generations: (keyPrefix: KeyPrefix) => [...keyPrefix, "generations"] as const,
  file: (keyPrefix: KeyPrefix, id: string) => [...keyPrefix, "file", id] as const,
  generation: (keyPrefix: KeyPrefix, id: string) => [...keyPrefix, "generation", id] as const,
  /** Transactions and statements. */
  money: (keyPrefix: KeyPrefix) => [...keyPrefix, "money"] as const,
  requestLog: (keyPrefix: KeyPrefix) => [...keyPrefix, "request-log"] as const,
  deliveries: (keyPrefix: KeyPrefix) => [...keyPrefix, "deliveries"] as const,
  webhookSecret: (keyPrefix: KeyPrefix) => [...keyPrefix, "webhook-secret"] as const,
  disabledUrls: (keyPrefix: KeyPrefix) => [...keyPrefix, "disabled-urls"] as const,
};

type Page<Row> = {
  data: Row[];
  has_more: boolean;
  /** Where a page may be empty and not the last. */
  next_after?: string;
  searched_back_to?: string;
};

type List<Row> = {
  queryKey: readonly unknown[];
  /** Reads the page after a row. */
  read: (page: { after?: string }) => Promise<Page<Row>>;
  idOf: (row: Row) => string;
  /** Whether the service is still working on the row, so that it has to be read again soon. */
  isRunning?: (row: Row) => boolean;
  /** A search is not made again. */
  isSearch?: boolean;
  isEnabled?: boolean;
};

export function useList<Row>(list: List<Row>) {
  const { queryKey, read, idOf, isRunning, isSearch = false, isEnabled = true } = list;
  return useInfiniteQuery({
    queryKey,
    enabled: isEnabled,
    queryFn: ({ pageParam: after }) => read(after ? { after } : {}),
    initialPageParam: "",
    getNextPageParam: ({ data, has_more: hasMore, next_after: next }) => {
      const last = data.at(-1);
      return next ?? (hasMore && last ? idOf(last) : undefined);
    },
    refetchInterval: ({ state: { data } }) =>
      !isSearch &&
      pollMs(data?.pages.some((page) => page.data.some((row) => isRunning?.(row))) ?? false),
    refetchOnWindowFocus: !isSearch,
  });
}

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

/** Writes Tokens of the mode in money; undefined for test Tokens, and without a price. */
export function useMoney(): (tokens: number | undefined, ofMode?: Mode) => string | undefined {
  const { mode } = useScope();
  const price = useBalances().data?.live?.token_price;
  return (tokens, ofMode = mode) =>
    price && tokens !== undefined && ofMode === "live"
      ? `about ${inMoney(tokens, price)}`
      : undefined;
}
