/** All webhook deliveries of this mode, filtered by status, event, URL and day, and sent again where they are chosen. */
import { RotateCw, Webhook } from "lucide-react";
import { type ReactNode, useState } from "react";
import { DASHBOARD_LIMITS, EVENT_TYPES } from "#gen/openapi/limits.ts";
import { BulkAction, SelectedBar, WITH_BAR } from "../../components/bulk.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { DELIVERY_COLUMNS } from "../../components/delivery-table.tsx";
import { FilterFields, useFilters } from "../../components/filter-fields.tsx";
import { Section } from "../../components/page-head.tsx";
import { Empty } from "../../components/states.tsx";
import { useDeliveries } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useSelection } from "../../data/use-selection.ts";
import { tokens } from "../../data/value-format.ts";

/** As the list's badges say them. */
const STATUSES = [
  { value: "pending", label: "pending or failing" },
  "failing",
  "delivered",
  "exhausted",
  "disabled",
] as const;

/** `children` are below the list once it is there, so that they do not move. */
export function Deliveries({ children }: { children: ReactNode }) {
  const filters = useFilters([
    { name: "status", label: "Status", data: STATUSES },
    { name: "type", label: "Type", data: EVENT_TYPES },
    { name: "url", label: "Exact URL", maxLength: DASHBOARD_LIMITS.deliveryUrl },
  ]);
  const { may } = useScope();
  const deliveries = useDeliveries(filters.query);
  const selection = useSelection(deliveries.data?.pages.flatMap(({ data }) => data) ?? []);
  const { selected } = selection;
  const [isListed, setListed] = useState(false);
  if (!isListed && !deliveries.isPending) setListed(true);
  return (
    <>
      <Section title="Deliveries" style={WITH_BAR}>
        <FilterFields filters={filters} />
        {selected.length > 0 && (
          <SelectedBar
            status={`${tokens(selected.length)} selected`}
            onClear={() => selection.setAll(false)}
          >
            <BulkAction
              label="Send again"
              icon={<RotateCw size={15} aria-hidden />}
              entries={selected}
              one={(call, { id }) => call("redeliverDelivery", { id })}
              noun="webhook"
              done="sent again"
              selection={selection}
            />
          </SelectedBar>
        )}
        <DataTable
          label="Deliveries"
          list={deliveries}
          columns={DELIVERY_COLUMNS}
          isOpening
          selection={may("redeliverDelivery") ? selection : undefined}
          nameOf={({ type, id }) => `${type}, ${id}`}
          onClear={filters.onClear}
          empty={
            <Empty icon={Webhook} title="No deliveries">
              Set webhook_url in a request, or send a test event. Every attempt is listed here.
            </Empty>
          }
        />
      </Section>
      {isListed && children}
    </>
  );
}
