/** Tokens used per day and model over a chosen period, as a chart and a table. */
import { Box, SegmentedControl, Skeleton, Text } from "@mantine/core";
import { ChartColumn } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Section } from "../../components/page-head.tsx";
import { Empty, QueryResult } from "../../components/states.tsx";
import { Words } from "../../components/texts.tsx";
import { useAnswer, useMoney } from "../../data/queries.ts";
import { counted, tokens } from "../../data/value-format.ts";
import { dateOf, type Day, UsageChart } from "./usage-chart.tsx";

export function UsageCard() {
  const [days, setDays] = useState("30");
  const dates = lastDays(Number(days));
  const asked = { group_by: "day", from: dates[0] ?? "", to: dates.at(-1) ?? "" } as const;
  const usage = useAnswer("listUsageGroups", asked, { isRunning: () => false });
  const groups = usage.data?.data;
  const used = groups && sumOf(groups, "tokens");
  const inMoney = useMoney()(used);
  return (
    <Section
      title="Tokens used per day"
      note={
        groups && used !== undefined
          ? `${tokens(used)} Tokens${inMoney ? ` (${inMoney})` : ""} for ${counted(sumOf(groups, "generations"), "generation")}`
          : " "
      }
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Days shown"
          data={["7", "30", "90"].map((value) => ({ value, label: `${value} days` }))}
          value={days}
          onChange={setDays}
        />
      }
    >
      <QueryResult query={usage} loading={<Skeleton height={297} radius="md" />}>
        {({ data }) =>
          data.length > 0 ? (
            <>
              <UsageChart days={daysOf(dates, data)} />
              <UsageTable days={daysOf(dates, data)} />
            </>
          ) : (
            <Empty icon={ChartColumn} title="No Tokens used in these days" />
          )
        }
      </QueryResult>
    </Section>
  );
}

type Group = Schemas["UsageGroup"];

/** Today and the days before it, UTC, the earliest first. */
function lastDays(count: number): string[] {
  const dayMs = 86_400_000;
  return Array.from({ length: count }, (_, index) =>
    new Date(Date.now() - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

function daysOf(dates: readonly string[], groups: readonly Group[]): Day[] {
  return dates.map((date) => {
    const models = groups
      .filter((group) => group.date === date)
      .map(({ model = "", ...used }) => ({ model, ...used }))
      .toSorted((a, b) => a.model.localeCompare(b.model));
    return { date, models, tokens: sumOf(models, "tokens") };
  });
}

function sumOf<Key extends string>(all: readonly Record<Key, number>[], key: Key): number {
  return all.reduce((sum, one) => sum + one[key], 0);
}

function UsageTable({ days }: { days: readonly Day[] }) {
  const rows = days.flatMap(({ date, models }) => models.map((usage) => ({ date, ...usage })));
  return (
    <Box component="details" mt="sm">
      <Text component="summary" size="sm" c="dimmed" w="fit-content" style={{ cursor: "pointer" }}>
        Show as a table
      </Text>
      <Box mah={280} style={{ overflowY: "auto" }} tabIndex={0}>
        <DataTable
          label="Tokens used per day and model"
          rows={rows.toReversed()}
          keyOf={({ date, model }) => `${date} ${model}`}
          columns={[
            { head: "Day", cell: dateOf },
            { head: "Model", cell: ({ model }) => <Words text={model} /> },
            {
              head: "Generations",
              isRight: true,
              from: 500,
              cell: (one) => tokens(one.generations),
            },
            { head: "Tokens", isRight: true, cell: ({ tokens: used }) => tokens(used) },
          ]}
        />
      </Box>
    </Box>
  );
}
