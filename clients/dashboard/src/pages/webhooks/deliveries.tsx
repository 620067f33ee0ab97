/** All webhook deliveries of this mode, filtered by status, event, URL and day, and sent again where they are chosen. */
import { Card, Group, Title } from "@mantine/core";
import { Webhook } from "lucide-react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { EVENT_TYPES } from "../../../../typescript/http/filter-values.ts";
import { DeliveryTable } from "../../components/delivery-table.tsx";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { Choice, DayFields, SearchField } from "../../components/filter-fields.tsx";
import { ListTotals } from "../../components/list-totals.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { useDeliveryTotals, type DeliveryFilter } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useSelection } from "../../data/use-selection.ts";
import { SendAgain } from "./send-again.tsx";
import {
  NO_FILTER,
  STATUSES,
  useDeliveries,
  useFilter,
  type ListFilter,
} from "./use-deliveries.ts";

/** The bar of what is selected sticks to the window. A card that scrolls its own content would keep it at its end. */
const NOT_SCROLLED = { overflowX: "visible", overflowY: "visible" } as const;

export function Deliveries() {
  const [filter, asked, change] = useFilter();
  const { mode, may } = useScope();
  const deliveries = useDeliveries(asked);
  const all = deliveries.data?.pages.flatMap(({ data }) => data) ?? [];
  const selection = useSelection(JSON.stringify([mode, asked]), all);
  return (
    <Card component="section" aria-labelledby="deliveries" style={NOT_SCROLLED}>
      <Title order={2} id="deliveries" fz={16} mb="md">
        Deliveries
      </Title>
      <Filters filter={filter} onChange={change} />
      <Totals filter={asked} />
      {selection.selected.length > 0 && (
        <SendAgain
          selection={selection}
          filter={asked}
          hasMore={deliveries.hasNextPage && selection.selected.length <= all.length}
        />
      )}
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
          if (Object.keys(asked).length > 0) return <NoMatches onClear={() => change(NO_FILTER)} />;
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

function Totals({ filter }: { filter: DeliveryFilter }) {
  const { queryKey, queryFn } = useDeliveryTotals(filter);
  return (
    <ListTotals nouns={["delivery", "deliveries"]} queryKey={queryKey} read={queryFn}>
      <CsvButton name="deliveries" file="webhooks/deliveries.csv" filter={filter} />
    </ListTotals>
  );
}
