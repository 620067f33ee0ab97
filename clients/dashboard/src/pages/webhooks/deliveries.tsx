/** All webhook deliveries of this mode, filtered by status, event, URL and day, and sent again where they are chosen. */
import { Button, Card, Group, Title } from "@mantine/core";
import { RotateCw, Webhook } from "lucide-react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { EVENT_TYPES } from "../../../../typescript/http/filter-values.ts";
import { DataList, Empty } from "../../components/states.tsx";
import { DeliveryTable } from "../../components/delivery-table.tsx";
import { Choice, DayFields, SearchField } from "../../components/filter-fields.tsx";
import { type DeliveryFilter, queryKeys, useDeliveries } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { useNotice, useScope } from "../../data/scope.ts";
import { type Selection, useSelection } from "../../data/use-selection.ts";
import { someAtATime } from "../../data/some-at-a-time.ts";
import { type Days, daysIn, spanOf } from "../../data/url.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { messageOf } from "../../api/refusal.ts";
import { SelectedBar } from "../../components/selected-bar.tsx";
import { tokens } from "../../components/value-format.ts";

/** The bar of what is selected sticks to the window. A card that scrolls its own content would keep it at its end. */
const NOT_SCROLLED = { overflowX: "visible", overflowY: "visible" } as const;

export function Deliveries() {
  const [filter, asked, change] = useFilter();
  const { may } = useScope();
  const deliveries = useDeliveries(asked);
  const selection = useSelection(deliveries.data?.pages.flatMap(({ data }) => data) ?? []);
  return (
    <Card component="section" aria-labelledby="deliveries" style={NOT_SCROLLED}>
      <Title order={2} id="deliveries" fz={16} mb="md">
        Deliveries
      </Title>
      <Filters filter={filter} onChange={change} />
      {selection.selected.length > 0 && <SendAgain selection={selection} />}
      <DataList
        list={deliveries}
        onClear={Object.keys(asked).length > 0 ? () => change(NO_FILTER) : undefined}
        empty={
          <Empty icon={Webhook} title="No deliveries">
            Set webhook_url in a request, or send a test event. Every attempt is listed here.
          </Empty>
        }
      >
        {(shown) => (
          <DeliveryTable
            deliveries={shown}
            label="Deliveries"
            selection={may("redeliverDelivery") ? selection : undefined}
          />
        )}
      </DataList>
    </Card>
  );
}

type FiltersProps = { filter: ListFilter; onChange: (change: Partial<ListFilter>) => void };

function Filters({ filter, onChange }: FiltersProps) {
  return (
    <Group mb="md" gap="sm" align="flex-start">
      <Choice
        label="Status"
        style={{ flex: "1 1 130px" }}
        data={[...STATUSES]}
        value={filter.status}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Type"
        style={{ flex: "1 1 170px" }}
        data={[...EVENT_TYPES]}
        value={filter.type}
        onChange={(type) => onChange({ type })}
      />
      <SearchField
        label="Exact URL"
        style={{ flex: "1 1 220px" }}
        maxLength={DASHBOARD_LIMITS.deliveryUrl}
        value={filter.url ?? ""}
        onSearch={(url) => onChange({ url })}
      />
      <DayFields days={filter} onChange={onChange} />
    </Group>
  );
}

/** As the list's badges say them. */
const STATUSES = [
  { value: "pending", label: "pending or failing" },
  { value: "failing", label: "failing" },
  { value: "delivered", label: "delivered" },
  { value: "exhausted", label: "exhausted" },
  { value: "disabled", label: "disabled" },
] as const;

/** The filter as it is in the URL of the page. */
type ListFilter = Days & Record<"status" | "type" | "url", string | undefined>;

const NO_FILTER: ListFilter = {
  status: undefined,
  type: undefined,
  url: undefined,
  from: undefined,
  to: undefined,
};

/** The filter in the URL, as the API takes it too, and what changes it. */
function useFilter(): [ListFilter, DeliveryFilter, (change: Partial<ListFilter>) => void] {
  const [query, change] = useUrlQuery();
  const status = STATUSES.find(({ value }) => value === query.get("status"))?.value;
  const type = EVENT_TYPES.find((one) => one === query.get("type"));
  const url = query.get("url") || undefined;
  const days = daysIn(query);
  const asked = {
    ...(status && { status }),
    ...(type && { type }),
    ...(url && { url }),
    ...spanOf(days),
  };
  return [{ status, type, url, ...days }, asked, change];
}

type Delivery = Schemas["WebhookDelivery"];

/** Those that could not be sent again stay chosen. */
function SendAgain({ selection }: { selection: Selection<Delivery> }) {
  const { selected, remove, setAll } = selection;
  const [handled, setHandled] = useState(0);
  const isStopped = useRef(false);
  const { keyPrefix, params } = useScope();
  const client = useQueryClient();
  const say = useNotice();
  const send = useMutation({
    mutationFn: (deliveries: readonly Delivery[]) => {
      setHandled(0);
      isStopped.current = false;
      return someAtATime(
        deliveries,
        ({ id }) =>
          unwrap(
            api.POST("/accounts/{account_id}/webhooks/deliveries/{id}/redeliver", {
              params: { ...params, path: { ...params.path, id } },
            }),
          ),
        { onHandled: setHandled, isStopped: () => isStopped.current },
      );
    },
    onSuccess: async ({ done }) => {
      if (done.length > 0) say(`${tokens(done.length)} sent again`);
      remove(done.map(({ id }) => id));
      await refetch(client, queryKeys.deliveries(keyPrefix));
    },
  });
  const failures = send.data?.failures ?? [];
  const reasons = new Set(failures.map(({ error }) => messageOf(error)));
  return (
    <SelectedBar
      status={`${tokens(selected.length)} selected`}
      fault={
        failures.length > 0
          ? `${tokens(failures.length)} not sent again: ${[...reasons].join(" ")}`
          : undefined
      }
      onClear={() => setAll(false)}
    >
      <Button
        size="xs"
        leftSection={<RotateCw size={15} aria-hidden />}
        onClick={() => {
          if (send.isPending) isStopped.current = true;
          else send.mutate(selected);
        }}
      >
        {send.isPending
          ? `Stop: ${tokens(handled)} of ${tokens(send.variables.length)}`
          : "Send again"}
      </Button>
    </SelectedBar>
  );
}
