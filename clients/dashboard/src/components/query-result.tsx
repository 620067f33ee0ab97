/** Renders a query: a placeholder while it loads, its error, or its data. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure } from "./failure.tsx";
import { RowsLoading } from "./loading.tsx";

type Props<T> = {
  query: UseQueryResult<T>;
  loading?: ReactNode;
  children: (data: T) => ReactNode;
};

export function QueryResult<T>({ query, loading, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />;
  return loading ?? <RowsLoading />;
}
