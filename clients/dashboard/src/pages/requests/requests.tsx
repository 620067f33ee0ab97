/** Requests: what the API keys of this mode asked for, and how it was answered. */
import { Card } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { api, unwrap } from "../../api/client.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";
import { Filters } from "./filters.tsx";
import { RequestTable } from "./request-table.tsx";
import { NO_FILTER, toQuery, useFilter } from "./use-filter.ts";

const REFRESH_MS = 5_000;

export default function Requests() {
  const [filter, change] = useFilter();
  const chosen = toQuery(filter);
  const requests = useRequests(chosen);
  return (
    <>
      <PageHead
        title="Requests"
        actions={<CsvButton name="requests" file="request-log.csv" filter={chosen} />}
      >
        What this mode&apos;s API keys asked for and how it was answered, newest first. Bodies and
        queries are not kept.
      </PageHead>
      <Card padding="md">
        <Filters filter={filter} onChange={change} />
        <QueryResult query={requests} loading={<RowsLoading rows={8} height={46} />}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length > 0) return <RequestTable entries={all} />;
            if (Object.keys(chosen).length > 0)
              return <NoMatches onClear={() => change(NO_FILTER)} />;
            return (
              <Empty icon={Activity} title="No requests yet">
                Requests appear here a moment after they were answered.
              </Empty>
            );
          }}
        </QueryResult>
        <ShowMore list={requests} />
      </Card>
    </>
  );
}

function useRequests(filter: ReturnType<typeof toQuery>) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...filter };
  return useInfiniteQuery({
    queryKey: [...queryKeys.requestLog(keyPrefix), filter],
    queryFn: ({ pageParam: after }) =>
      unwrap(
        api.GET("/accounts/{account_id}/request-log", {
          params: { ...params, query: after ? { ...query, after } : query },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ has_more: hasMore, data }) =>
      hasMore ? data.at(-1)?.request.id : undefined,
    refetchInterval: REFRESH_MS,
  });
}
