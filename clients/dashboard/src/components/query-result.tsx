/** Renders a query: a placeholder while it loads, its error, or its data. */
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Refusal } from "../api/refusal.ts";
import { Failure } from "./failure.tsx";
import { RowsLoading } from "./loading.tsx";

const MISSING: ReadonlySet<number> = new Set([404, 410]);

type Props<T> = {
  query: UseQueryResult<T>;
  loading?: ReactNode;
  /** Shown when there is no such thing, or no longer. */
  missing?: ReactNode;
  children: (data: T) => ReactNode;
};

export function QueryResult<T>({ query, loading, missing, children }: Props<T>) {
  const { error } = query;
  // A deletion is shown even when an earlier response is still in the cache.
  if (missing && error instanceof Refusal && MISSING.has(error.status)) return missing;
  if (query.data !== undefined) return children(query.data);
  if (error) return <Failure error={error} retry={() => void query.refetch()} />;
  return loading ?? <RowsLoading />;
}
