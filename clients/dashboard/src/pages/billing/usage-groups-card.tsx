/** What was charged in some days by model, API key or end user; all of the choice is in the URL. */
import { Anchor, Card, Group, SegmentedControl, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChartColumn } from "lucide-react";
import { Link } from "react-router";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Empty, QueryResult } from "../../components/states.tsx";
import { DayFields } from "../../components/filter-fields.tsx";
import { day, tokens } from "../../components/value-format.ts";
import { type Days, daysIn } from "../../data/url.ts";
import { useUrlQuery } from "../../data/url-query.ts";
import { queryKeys, useMoney } from "../../data/queries.ts";
import { pollMs } from "../../data/refetch.ts";
import { useScope } from "../../data/scope.ts";
import { keyLabel } from "./key-label.ts";

const GROUPINGS = [
  { value: "model", label: "Model" },
  { value: "key", label: "API key" },
  { value: "end_user", label: "End user" },
] as const;

type Grouping = (typeof GROUPINGS)[number]["value"];
type UsageGroup = Schemas["UsageGroup"];

export function UsageGroupsCard() {
  const [query, change] = useUrlQuery();
  const by = GROUPINGS.find(({ value }) => value === query.get("by"))?.value ?? "model";
  const days = daysIn(query);
  const usage = useUsageGroups(by, days);
  return (
    <Card component="section" aria-labelledby="usage-groups">
      <Group justify="space-between" mb="md">
        <div>
          <Title order={2} id="usage-groups" fz={16}>
            Usage by model, key or end user
          </Title>
          <Text size="sm" c="dimmed" mih={20}>
            {usage.data && `${spanText(usage.data)}, in UTC`}
          </Text>
        </div>
        <SegmentedControl<Grouping>
          size="xs"
          aria-label="Group by"
          data={[...GROUPINGS]}
          value={by}
          onChange={(chosen) => change({ by: chosen })}
        />
      </Group>
      <Group mb="md">
        <DayFields
          days={{ from: days.from ?? usage.data?.from, to: days.to ?? usage.data?.to }}
          onChange={change}
        />
      </Group>
      <QueryResult query={usage}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={ChartColumn} title="Nothing was charged in these days" />
          ) : (
            <GroupTable groups={data} by={by} />
          )
        }
      </QueryResult>
    </Card>
  );
}

function useUsageGroups(by: Grouping, { from, to }: Days) {
  const { keyPrefix, params } = useScope();
  const query = { ...params.query, group_by: by, ...(from && { from }), ...(to && { to }) };
  return useQuery({
    queryKey: [...queryKeys.usage(keyPrefix), "groups", by, from, to],
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/usage/groups", { params: { ...params, query } })),
    refetchInterval: pollMs(false),
  });
}

function spanText({ from, to }: Pick<Schemas["UsageGroups"], "from" | "to">): string {
  const [first, last] = [from, to].map((date) => day(`${date}T12:00:00Z`));
  return first === last ? `${first}` : `${first} to ${last}`;
}

function GroupTable({ groups, by }: { groups: readonly UsageGroup[]; by: Grouping }) {
  const label = GROUPINGS.find(({ value }) => value === by)?.label ?? "";
  const inMoney = useMoney();
  const amount = (charged: number) => {
    const money = inMoney(charged);
    return `${tokens(charged)}${money ? ` (${money})` : ""}`;
  };
  const sum = (of: (group: UsageGroup) => number) =>
    groups.reduce((all, group) => all + of(group), 0);
  return (
    <DataTable
      label={`Usage by ${label.toLowerCase()}`}
      rows={groups}
      keyOf={({ model, key_id: key, end_user: endUser }) => model ?? key ?? endUser ?? ""}
      columns={[
        { head: label, cell: (group) => <GroupName group={group} by={by} /> },
        { head: "Generations", isRight: true, cell: ({ generations }) => tokens(generations) },
        { head: "Tokens", isRight: true, cell: (group) => amount(group.tokens) },
      ]}
      foot={
        <>
          <Table.Th scope="row">Total</Table.Th>
          <Table.Td ta="right" className="number">
            {tokens(sum(({ generations }) => generations))}
          </Table.Td>
          <Table.Td ta="right" className="number">
            {amount(sum((group) => group.tokens))}
          </Table.Td>
        </>
      }
    />
  );
}

/** The name, with a link to the generations of the group where the list can be filtered by it. */
function GroupName({ group, by }: { group: UsageGroup; by: Grouping }) {
  const { to, may } = useScope();
  const { model, key_id: keyId, end_user: endUser } = group;
  const names = {
    model: { name: model, value: model },
    key: { name: keyLabel(group), value: keyId ?? "none" },
    end_user: { name: endUser ?? "No end user", value: endUser },
  };
  const { name, value } = names[by];
  if (value === undefined || !may("listGenerations")) return name;
  const filter = new URLSearchParams({ [by]: value, status: "success" });
  return (
    <Anchor component={Link} to={to(`generations?${filter.toString()}`)} size="sm">
      {name}
    </Anchor>
  );
}
