/** All webhook deliveries of this mode, filtered by status, event, URL and day, and sent again where they are chosen. */
import { Card, Group, Title } from "@mantine/core";
import { Webhook } from "lucide-react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { EVENT_TYPES } from "../../../../typescript/http/filter-values.ts";
import { DataList } from "../../components/data-list.tsx";
import { DeliveryTable } from "../../components/delivery-table.tsx";
import { Empty } from "../../components/empty.tsx";
import { Choice, DayFields, SearchField } from "../../components/filter-fields.tsx";
import { useDeliveries } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useSelection } from "../../data/use-selection.ts";
import { SendAgain } from "./send-again.tsx";
import { NO_FILTER, STATUSES, useFilter, type ListFilter } from "./use-filter.ts";

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
