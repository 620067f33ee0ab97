/** Settings, Audit log: who changed what in the account, filtered, and as a CSV file. */
import { Card, Group, Select } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ScrollText } from "lucide-react";
import type { operations } from "#gen/openapi/dashboard.ts";
import { api, unwrap } from "../../api/client.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { DayFields } from "../../components/filter-fields.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { daysIn, spanOf } from "../../data/days.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { ACTION_CHOICES, ACTOR_CHOICES } from "./actions.ts";
import { EntryTable } from "./entry-table.tsx";

type Filter = NonNullable<operations["downloadAuditLog"]["parameters"]["query"]>;

const NO_FILTER = { action: undefined, actor: undefined, from: undefined, to: undefined };

export default function AuditLog() {
  const [query, change] = useUrlQuery();
  const action = ACTION_CHOICES.find(({ value }) => value === query.get("action"))?.value;
  const actor = ACTOR_CHOICES.find(({ value }) => value === query.get("actor"))?.value;
  const days = daysIn(query);
  const set = { ...(action && { action }), ...(actor && { actor }), ...spanOf(days) };
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
            value={action ?? null}
            onChange={(chosen) => change({ action: chosen ?? undefined })}
          />
          <Select
            aria-label="By"
            placeholder="By anyone"
            clearable
            flex="1 1 160px"
            maw={240}
            data={ACTOR_CHOICES}
            value={actor ?? null}
            onChange={(chosen) => change({ actor: chosen ?? undefined })}
          />
          <DayFields days={days} onChange={change} />
        </Group>
        <QueryResult query={entries}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length > 0) return <EntryTable entries={all} />;
            if (Object.keys(set).length > 0) return <NoMatches onClear={() => change(NO_FILTER)} />;
            return <Empty icon={ScrollText} title="No entries" />;
          }}
        </QueryResult>
        <ShowMore list={entries} />
      </Card>
    </>
  );
}

function useEntries(filter: Filter) {
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
