/** Requests: what the API keys of this mode asked for, and how it was answered. */
import { Card } from "@mantine/core";
import { Activity } from "lucide-react";
import { api, unwrap } from "../../api/client.ts";
import { DataList } from "../../components/data-list.tsx";
import { Empty } from "../../components/empty.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { useList } from "../../data/list.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";
import { Filters } from "./filters.tsx";
import { RequestTable } from "./request-table.tsx";
import { NO_FILTER, toQuery, useFilter } from "./use-filter.ts";

export default function Requests() {
  const [filter, change] = useFilter();
  const chosen = toQuery(filter);
  const requests = useRequests(chosen);
  return (
    <>
      <PageHead title="Requests">
        What this mode&apos;s API keys asked for and how it was answered, newest first. Bodies and
        queries are not kept.
      </PageHead>
      <Card padding="md">
        <Filters filter={filter} onChange={change} />
        <DataList
          list={requests}
          loading={<RowsLoading rows={8} height={46} />}
          onClear={Object.keys(chosen).length > 0 ? () => change(NO_FILTER) : undefined}
          empty={
            <Empty icon={Activity} title="No requests yet">
              Requests appear here a moment after they were answered.
            </Empty>
          }
        >
          {(shown) => <RequestTable entries={shown} />}
        </DataList>
      </Card>
    </>
  );
}

function useRequests(filter: ReturnType<typeof toQuery>) {
  const { keyPrefix, params } = useScope();
  return useList({
    queryKey: [...queryKeys.requestLog(keyPrefix), filter],
    read: (page) => {
      const query = { ...params.query, ...filter, ...page };
      return unwrap(
        api.GET("/accounts/{account_id}/request-log", { params: { ...params, query } }),
      );
    },
    idOf: ({ request }) => request.id,
  });
}
