/** What was charged in some days by model, API key or end user; all of the choice is in the URL. */
import { Group, SegmentedControl } from "@mantine/core";
import { ChartColumn } from "lucide-react";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { DayFields, optionsOf } from "../../components/filter-fields.tsx";
import { Section } from "../../components/page-head.tsx";
import { Empty } from "../../components/states.tsx";
import { Amount, TextLink, Words } from "../../components/texts.tsx";
import { keyLabel } from "../../data/generation.ts";
import { useAnswer } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { type Days, daysIn } from "../../data/url.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { counted, tokens } from "../../data/value-format.ts";

const GROUPINGS = { model: "Model", key: "API key", end_user: "End user" };

type Grouping = keyof typeof GROUPINGS;
type UsageGroup = Schemas["UsageGroup"];

export function UsageGroupsCard() {
  const [query, change] = useUrlQuery();
  const chosen = query.get("by") ?? "";
  const by = Object.hasOwn(GROUPINGS, chosen) ? (chosen as Grouping) : "model";
  const label = GROUPINGS[by];
  const { from, to } = daysIn(query);
  const asked = { group_by: by, ...(from && { from }), ...(to && { to }) };
  const usage = useAnswer("listUsageGroups", asked, { isRunning: () => false });
  const days = { from: from ?? usage.data?.from, to: to ?? usage.data?.to };
  return (
    <Section
      title="Usage by model, key or end user"
      note="Days are UTC."
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Group by"
          data={optionsOf(GROUPINGS)}
          value={by}
          onChange={(grouping) => change({ by: grouping })}
        />
      }
    >
      <Group mb="md">
        <DayFields days={days} onChange={change} />
      </Group>
      <DataTable
        label={`Usage by ${label.toLowerCase()}`}
        query={usage}
        keyOf={({ model, key_id: key, end_user: endUser }) => model ?? key ?? endUser ?? ""}
        empty={<Empty icon={ChartColumn} title="Nothing was charged in these days" />}
        columns={[
          { head: label, cell: (group) => <GroupName group={group} by={by} days={days} /> },
          { head: "Generations", isRight: true, from: 500, cell: numberOf, below: countOf },
          { head: "Tokens", isRight: true, cell: (group) => <Amount amount={group.tokens} /> },
        ]}
      />
    </Section>
  );
}

const numberOf = ({ generations }: UsageGroup) => tokens(generations);
const countOf = ({ generations }: UsageGroup) => counted(generations, "generation");

/** The name, with a link to the generations of the group where the list can be filtered by it. */
function GroupName({ group, by, days }: { group: UsageGroup; by: Grouping; days: Days }) {
  const { to, may } = useScope();
  const { model, key_id: keyId, end_user: endUser } = group;
  const name = { model, key: keyLabel(group), end_user: endUser ?? "No end user" }[by] ?? "";
  const value = { model, key: keyId ?? "none", end_user: endUser }[by];
  if (value === undefined || !may("listGenerations")) return <Words text={name} />;
  const { from = "", to: last = "" } = days;
  const filter = new URLSearchParams({ [by]: value, status: "success", from, to: last });
  return (
    <TextLink to={to(`generations?${filter.toString()}`)}>
      <Words text={name} />
    </TextLink>
  );
}
