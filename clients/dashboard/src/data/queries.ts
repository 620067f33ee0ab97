/** Reads and changes by operations of the API for the account and mode of the page, and the reads that several pages share. */
import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useContext } from "react";
import { OPERATIONS } from "#gen/openapi/dashboard-operations.ts";
import { inMoney } from "../../../typescript/money.ts";
import {
  type Answer,
  call,
  type Input,
  type Mode,
  type Operation,
  type Query,
} from "../api/client.ts";
import { isFinished } from "./generation.ts";
import { atMost, pollMs, refetch } from "./refetch.ts";
import { ScopeContext, useScope } from "./scope.ts";

/** Adds the account and mode of the page to what an operation takes. */
function usePlaced(): <O extends Operation>(operation: O, input: Input<O>) => Input<O> {
  const scope = useContext(ScopeContext);
  return (operation, input) => {
    const { path, takesMode } = OPERATIONS[operation];
    return {
      ...(scope && path.includes("{account_id}") && { account_id: scope.account.id }),
      ...(scope && takesMode && { mode: scope.mode }),
      ...input,
    };
  };
}

export type Call = <O extends Operation>(operation: O, input: Input<O>) => Promise<Answer<O>>;

/** Calls an operation. */
export function useCall(): Call {
  const placed = usePlaced();
  return (operation, input) => call(operation, placed(operation, input));
}

/** What is shown once must not be lost because the reads after it hang. */
const READS_MS = 2_000;

/**
 * A change: `run` makes it; what the page shows is read again, also when it has failed; then `onDone` hears the answer.
 * Answers are not kept, because some have secrets.
 */
export function useAction<V = void, A = unknown>(
  run: (call: Call, input: V) => Promise<A>,
  onDone?: (answer: A, input: V) => unknown,
) {
  const client = useQueryClient();
  const call = useCall();
  return useMutation({
    mutationFn: async (input: V) => {
      try {
        return await run(call, input);
      } finally {
        await atMost(READS_MS, refetch(client));
      }
    },
    onSuccess: onDone,
    gcTime: 0,
  });
}

type Options<Data> = {
  isEnabled?: boolean;
  /** Whether what was read still changes, so that it has to be read again soon; without it, it is not. */
  isRunning?: (data: Data) => boolean;
  /** How long an answer counts as new; a static one is never read again. */
  staleTime?: number | "static";
  /** Whether it is forgotten once no page shows it. */
  isSecret?: boolean;
};

/** What an operation answers; nothing where the user's role may not call it. */
export function useAnswer<O extends Operation>(
  operation: O,
  input: Input<O>,
  { isEnabled = true, isRunning, staleTime, isSecret = false }: Options<Answer<O>> = {},
) {
  const scope = useContext(ScopeContext);
  const sent = usePlaced()(operation, input);
  return useQuery({
    queryKey: [operation, sent],
    enabled: isEnabled && (scope?.may(operation) ?? true),
    queryFn: () => call(operation, sent),
    ...(isRunning && {
      refetchInterval: ({ state: { data } }: { state: { data: Answer<O> | undefined } }) =>
        pollMs(data !== undefined && isRunning(data as Answer<O>)),
    }),
    ...(staleTime !== undefined && { staleTime }),
    ...(isSecret && { gcTime: 0 }),
  });
}

type Page<Row> = {
  data: Row[];
  has_more?: boolean;
  /** Where a page may be empty and not the last. */
  next_after?: string;
};

type RowOf<O extends Operation> = Answer<O> extends { data: (infer Row)[] } ? Row : never;

type ListOptions<Row> = {
  isEnabled?: boolean;
  idOf?: (row: Row) => string;
  /** Whether the service is still working on the row. */
  isRunning?: (row: Row) => boolean;
  /** A search is not made again. */
  isSearch?: boolean;
};

export type ListResult<Row> = UseInfiniteQueryResult<InfiniteData<Page<Row>>>;

/** Pages of what an operation lists. */
export function useList<O extends Operation>(
  operation: O,
  input: Input<O>,
  options: ListOptions<RowOf<O>> = {},
): ListResult<RowOf<O>> {
  const { isEnabled = true, isRunning, isSearch = false } = options;
  const { idOf = (row: RowOf<O>) => (row as { id: string }).id } = options;
  const { may } = useScope();
  const sent = usePlaced()(operation, input);
  return useInfiniteQuery({
    queryKey: [operation, sent, "pages"],
    enabled: isEnabled && may(operation),
    queryFn: ({ pageParam: after }) =>
      call(operation, { ...sent, ...(after && { after }) }) as Promise<Page<RowOf<O>>>,
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

export const useModels = () => useAnswer("listAccountModels", {}, { staleTime: MINUTE_MS });

/** The account's keys of the mode, also revoked ones. */
export function useApiKeys() {
  const { mode } = useScope();
  const { data, ...rest } = useAnswer("listKeys", {});
  return { ...rest, keys: data?.data.filter((key) => key.mode === mode) };
}

export function useBalances() {
  // Tokens are reserved while something runs.
  return useAnswer(
    "listBalances",
    {},
    { isRunning: ({ data }) => data.some(({ reserved }) => reserved > 0) },
  );
}

export function useGenerations(
  filter: Query<"listGenerations">,
  { limit = PAGE_SIZE, isEnabled = true }: { limit?: number; isEnabled?: boolean } = {},
) {
  return useList(
    "listGenerations",
    { ...filter, limit },
    {
      isEnabled,
      isRunning: (generation) => !isFinished(generation),
      isSearch: filter.search !== undefined,
    },
  );
}

/** One generation with its timeline, transactions and deliveries. */
export function useGeneration(id: string | undefined) {
  return useAnswer(
    "retrieveGeneration",
    { id: id ?? "" },
    { isEnabled: id !== undefined, isRunning: ({ generation }) => !isFinished(generation) },
  );
}

export function useDeliveries(filter: Query<"listDeliveries">) {
  return useList(
    "listDeliveries",
    { limit: PAGE_SIZE, ...filter },
    { isRunning: ({ status, attempts }) => status === "pending" && attempts.length === 0 },
  );
}

/** Writes Tokens of the mode in money; undefined for test Tokens, and without a price. */
export function useMoney(): (tokens: number | undefined, ofMode?: Mode) => string | undefined {
  const { mode } = useScope();
  const price = useBalances().data?.data.find((balance) => balance.mode === "live")?.token_price;
  return (tokens, ofMode = mode) =>
    price && tokens !== undefined && ofMode === "live"
      ? `about ${inMoney(tokens, price)}`
      : undefined;
}
