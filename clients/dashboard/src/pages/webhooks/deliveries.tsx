/** All webhook deliveries of this mode, filtered by status. */
import { Card, Group, Select, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Webhook } from "lucide-react";
import { useState } from "react";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { DeliveryTable } from "../../components/delivery-table.tsx";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { ListTotals } from "../../components/list-totals.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { useScope } from "../../data/scope.ts";

const STATUSES = ["pending", "delivered", "exhausted", "disabled"] as const;
const REFRESH_MS = 5_000;

export function Deliveries() {
  const [status, setStatus] = useState<Schemas["WebhookDeliveryStatus"]>();
  const deliveries = useDeliveries({ status });
  return (
    <Card component="section" aria-labelledby="deliveries">
      <Group justify="space-between" mb="md">
        <Title order={2} id="deliveries" fz={16}>
          Deliveries
        </Title>
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          w={160}
          data={STATUSES}
          value={status ?? null}
          onChange={(chosen) => setStatus(chosen ?? undefined)}
        />
      </Group>
      <Totals status={status} />
      <QueryResult query={deliveries}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length > 0) return <DeliveryTable deliveries={all} label="Deliveries" />;
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

type Filter = { status: Schemas["WebhookDeliveryStatus"] | undefined };

function Totals({ status }: Filter) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, ...(status && { status }) };
  return (
    <ListTotals
      nouns={["delivery", "deliveries"]}
      queryKey={[...queryKeys.deliveries(keyPrefix), "totals", status]}
      read={() =>
        unwrap(
          api.GET("/accounts/{account_id}/webhooks/delivery-totals", {
            params: { ...params, query },
          }),
        )
      }
    >
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
