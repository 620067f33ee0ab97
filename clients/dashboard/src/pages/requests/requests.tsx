/** Requests: what the API keys of this mode asked for, and how it was answered. */
import { Card, Group } from "@mantine/core";
import { Activity } from "lucide-react";
import { api, unwrap } from "../../api/client.ts";
import { DataList, Empty, RowsLoading } from "../../components/states.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { queryKeys, useApiKeys, useList } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { RequestTable } from "./request-table.tsx";
import { Choice, DayFields, keyOptions, SearchField } from "../../components/filter-fields.tsx";
import type { operations } from "#gen/openapi/dashboard.ts";
import { type Days, daysIn, spanOf } from "../../data/url.ts";
import { useUrlQuery } from "../../data/url-query.ts";

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

/** The longest Request-Id. */
const MAX_ID_CHARACTERS = 64;

type Props = { filter: RequestFilter; onChange: (change: Partial<RequestFilter>) => void };

function Filters({ filter, onChange }: Props) {
  const keys = useApiKeys();
  return (
    <Group mb="md" gap="sm" align="flex-start">
      <SearchField
        label="Request-Id or generation"
        style={{ flex: "1 1 260px" }}
        maxLength={MAX_ID_CHARACTERS}
        value={filter.id ?? ""}
        onSearch={(id) => onChange({ id })}
        faultOf={(id) =>
          id === "" || isRequestId(id) ? undefined : "8 to 64 letters, digits, _ or -"
        }
      />
      <Choice
        label="Status"
        style={{ flex: "1 1 130px" }}
        data={STATUSES}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Key"
        style={{ flex: "1 1 150px" }}
        data={keyOptions(keys.data)}
        value={filter.key}
        onChange={(key) => onChange({ key })}
      />
      <DayFields days={filter} onChange={onChange} />
    </Group>
  );
}

const STATUSES = ["2xx", "4xx", "400", "402", "403", "404", "409", "422", "429", "5xx"];

/** `id` is a Request-Id, or the id of a generation. */
type RequestFilter = Days & Record<"id" | "status" | "key", string | undefined>;

type Query = Omit<operations["listRequestLog"]["parameters"]["query"], "mode" | "limit" | "after">;

function useFilter(): [RequestFilter, (change: Partial<RequestFilter>) => void] {
  const [query, change] = useUrlQuery();
  const text = (name: string) => query.get(name) || undefined;
  const status = STATUSES.find((one) => one === query.get("status"));
  return [{ id: text("id"), status, key: text("key"), ...daysIn(query) }, change];
}

const NO_FILTER: RequestFilter = {
  id: undefined,
  status: undefined,
  key: undefined,
  from: undefined,
  to: undefined,
};

const GENERATION_ID = /^[vi]gen_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const REQUEST_ID = /^[A-Za-z0-9_-]{8,64}$/;

/** Whether requests can have this id. */
function isRequestId(id: string): boolean {
  return REQUEST_ID.test(id);
}

/** The filter as the API takes it, without an id that no request has. */
function toQuery({ id, status, key, from, to }: RequestFilter): Query {
  const byId = id && isRequestId(id);
  return {
    ...(byId && (GENERATION_ID.test(id) ? { generation_id: id } : { request_id: id })),
    ...(status && { status }),
    ...(key && { key_id: key }),
    ...spanOf({ from, to }),
  };
}
