/** How the dashboard stays up to date: it reads again, often while something runs; and lists, a page after the other. */
import { useInfiniteQuery } from "@tanstack/react-query";

const RUNNING_MS = 2_000;
const IDLE_MS = 15_000;

/** When a query reads again. */
export function pollMs(isRunning: boolean): number {
  return isRunning ? RUNNING_MS : IDLE_MS;
}

type Page<Row> = {
  data: Row[];
  has_more: boolean;
  /** Where a page may be empty and not the last. */
  next_after?: string;
  searched_back_to?: string;
};

type List<Row> = {
  queryKey: readonly unknown[];
  /** Reads the page after an entry. */
  read: (page: { after?: string }) => Promise<Page<Row>>;
  idOf: (row: Row) => string;
  /** Whether an entry changes by itself. */
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
