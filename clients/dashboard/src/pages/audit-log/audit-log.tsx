/** Settings, Audit log: who changed what in the account, filtered, and as a CSV file. */
import { Card, Group, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";
import { ACTION_CHOICES, ACTOR_CHOICES, type Action, type Actor } from "./actions.ts";
import { EntryTable } from "./entry-table.tsx";

type Filter = { action?: Action | undefined; actor?: Actor | undefined };

export default function AuditLog() {
  const [filter, setFilter] = useState<Filter>({});
  const set = chosen(filter);
  const entries = useEntries(set);
  return (
    <>
      <PageHead
        title="Audit log"
        actions={<CsvButton name="the audit log" file="audit-log.csv" filter={set} isOfBothModes />}
      >
        Who changed what in this account, newest first. Nobody can change or delete an entry.
      </PageHead>
      <Card padding="md">
        <Group mb="md" gap="sm">
          <Select
            aria-label="Action"
            placeholder="Any action"
            clearable
            flex="1 1 200px"
            maw={320}
            data={ACTION_CHOICES}
            value={filter.action ?? null}
            onChange={(action) => setFilter({ ...filter, action: action ?? undefined })}
          />
          <Select
            aria-label="By"
            placeholder="By anyone"
            clearable
            flex="1 1 160px"
            maw={240}
            data={ACTOR_CHOICES}
            value={filter.actor ?? null}
            onChange={(actor) => setFilter({ ...filter, actor: actor ?? undefined })}
          />
        </Group>
        <QueryResult query={entries}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length === 0) return <Empty icon={ScrollText} title="No entries" />;
            return <EntryTable entries={all} />;
          }}
        </QueryResult>
        <ShowMore list={entries} />
      </Card>
    </>
  );
}

/** The filter without what is not chosen, as the query has it. */
function chosen({ action, actor }: Filter): { action?: Action; actor?: Actor } {
  return { ...(action && { action }), ...(actor && { actor }) };
}

function useEntries(filter: { action?: Action; actor?: Actor }) {
  const { account, params } = useScope();
  return useInfiniteQuery({
    queryKey: [...queryKeys.auditLog(account.id), filter],
    queryFn: ({ pageParam: after }) =>
      unwrap(
        api.GET("/accounts/{account_id}/audit-log", {
          params: { path: params.path, query: after ? { ...filter, after } : filter },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ has_more: hasMore, data }) => (hasMore ? data.at(-1)?.id : undefined),
  });
}
