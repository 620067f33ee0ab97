/** A list of the API: its rows, what it says where there are none, and the button that loads its next page. */
import { Button } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Empty } from "./empty.tsx";
import { QueryResult } from "./query-result.tsx";
import { ShowMore } from "./show-more.tsx";

type Props<Row> = {
  list: UseInfiniteQueryResult<InfiniteData<{ data: readonly Row[] }>>;
  loading?: ReactNode;
  /** Shown where there is nothing at all. */
  empty: ReactNode;
  /** Takes the filters away; undefined while there are none. */
  onClear?: (() => void) | undefined;
  /** The list goes through old entries to find more. */
  isSearch?: boolean;
  more?: string;
  children: (rows: Row[]) => ReactNode;
};

export function DataList<Row>(props: Props<Row>) {
  const { list, loading, empty, onClear, isSearch = false, children } = props;
  const more = props.more ?? (isSearch ? "Search older" : "Show more");
  const isAll = !list.hasNextPage;
  return (
    <>
      <QueryResult query={list} loading={loading}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length > 0) return children(rows);
          if (!onClear) return empty;
          return (
            <Empty
              icon={SearchX}
              title={isAll ? "No matches" : "Nothing found so far"}
              action={
                <Button variant="light" mt="xs" onClick={onClear}>
                  Clear the filters
                </Button>
              }
            />
          );
        }}
      </QueryResult>
      <ShowMore list={list} label={more} />
    </>
  );
}
