/** All webhook deliveries of this mode, filtered by status, which is in the URL. */
import { Card, Group, Select, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { SearchX, Webhook } from "lucide-react";
import type { operations } from "#gen/openapi/dashboard.ts";
import { api, unwrap } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { DeliveryTable } from "../../components/delivery-table.tsx";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ListTotals } from "../../components/list-totals.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { useDeliveryTotals } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { useSelection } from "../../data/use-selection.ts";
import { SendAgain } from "./send-again.tsx";

/** As the list's badges say them. */
const STATUSES = [
  { value: "pending", label: "pending or failing" },
  { value: "failing", label: "failing" },
  { value: "delivered", label: "delivered" },
  { value: "exhausted", label: "exhausted" },
  { value: "disabled", label: "disabled" },
] as const;

type Status = NonNullable<operations["listDeliveries"]["parameters"]["query"]["status"]>;

const REFRESH_MS = 5_000;

/** The bar of what is selected sticks to the window. A card that scrolls its own content would keep it at its end. */
const NOT_SCROLLED = { overflowX: "visible", overflowY: "visible" } as const;

export function Deliveries() {
  const [query, change] = useUrlQuery();
  const status = STATUSES.find(({ value }) => value === query.get("status"))?.value;
  const { mode, may } = useScope();
  const deliveries = useDeliveries({ status });
  const all = deliveries.data?.pages.flatMap(({ data }) => data) ?? [];
  const selection = useSelection(`${mode} ${status}`, all);
  return (
    <Card component="section" aria-labelledby="deliveries" style={NOT_SCROLLED}>
      <Group justify="space-between" mb="md">
        <Title order={2} id="deliveries" fz={16}>
          Deliveries
        </Title>
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          w={180}
          data={STATUSES}
          value={status ?? null}
          onChange={(chosen) => change({ status: chosen ?? undefined })}
        />
      </Group>
      <Totals status={status} />
      {selection.selected.length > 0 && <SendAgain selection={selection} />}
      <QueryResult query={deliveries}>
        {() => {
          if (all.length > 0) {
            return (
              <DeliveryTable
                deliveries={all}
                label="Deliveries"
                selection={may("redeliverDelivery") ? selection : undefined}
              />
            );
          }
          if (status) {
            return <Empty icon={SearchX} title={`No delivery is ${labelOf(status)}`} />;
          }
          return (
            <Empty icon={Webhook} title="No deliveries">
              Set webhook_url in a request, or send a test event. Every attempt is listed here.
            </Empty>
          );
        }}
      </QueryResult>
      <ShowMore list={deliveries} />
    </Card>
  );
}

const labelOf = (status: Status) => STATUSES.find(({ value }) => value === status)?.label;

type Filter = { status: Status | undefined };

function Totals({ status }: Filter) {
  const { queryKey, queryFn } = useDeliveryTotals(status);
  return (
    <ListTotals nouns={["delivery", "deliveries"]} queryKey={queryKey} read={queryFn}>
      <CsvButton name="deliveries" file="webhooks/deliveries.csv" filter={{ status }} />
    </ListTotals>
  );
}

function useDeliveries({ status }: Filter) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...(status && { status }) };
  return useInfiniteQuery({
    queryKey: [...queryKeys.deliveries(keyPrefix), "list", status],
    queryFn: ({ pageParam: after }) =>
      unwrap(
        api.GET("/accounts/{account_id}/webhooks/deliveries", {
          params: { ...params, query: after ? { ...query, after } : query },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: ({ has_more: hasMore, data }) => (hasMore ? data.at(-1)?.id : undefined),
    refetchInterval: REFRESH_MS,
  });
}
