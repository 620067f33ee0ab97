/** Tokens used per day and model over a chosen period, as a chart and a table. */
import { Card, Group, ScrollArea, SegmentedControl, Skeleton, Text, Title } from "@mantine/core";
import { ChartColumn } from "lucide-react";
import { useState } from "react";
import { useMoney, useUsage } from "../../data/queries.ts";
import { Empty, QueryResult } from "../../components/states.tsx";
import { day, tokens } from "../../components/value-format.ts";
import { UsageChart } from "./usage-chart.tsx";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import classes from "./overview.module.css";

const PERIODS = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

export function UsageCard() {
  const [days, setDays] = useState("30");
  const usage = useUsage(Number(days));
  const inMoney = useMoney()(usage.data?.tokens);
  return (
    <Card component="section" aria-labelledby="usage">
      <Group justify="space-between" align="flex-start" mb="md">
        <div>
          <Title order={2} id="usage" fz={16}>
            Tokens used per day
          </Title>
          <Text size="sm" c="dimmed" className="number">
            {usage.data
              ? `${tokens(usage.data.tokens)} Tokens${inMoney ? ` (${inMoney})` : ""} for ${tokens(usage.data.generations)} ${usage.data.generations === 1 ? "generation" : "generations"}`
              : " "}
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          aria-label="Days shown"
          data={PERIODS}
          value={days}
          onChange={setDays}
        />
      </Group>
      <QueryResult query={usage} loading={<Skeleton height={285} radius="md" />}>
        {({ days: usageDays }) =>
          usageDays.some(({ models }) => models.length > 0) ? (
            <>
              <UsageChart days={usageDays} />
              <UsageTable days={usageDays} />
            </>
          ) : (
            <Empty icon={ChartColumn} title="No Tokens used in these days">
              This chart will show what your generations cost, by day and model.
            </Empty>
          )
        }
      </QueryResult>
    </Card>
  );
}

function UsageTable({ days }: { days: readonly Schemas["UsageDay"][] }) {
  const rows = days.flatMap(({ date, models }) => models.map((usage) => ({ date, ...usage })));
  return (
    <details className={classes.details}>
      <summary>Show as a table</summary>
      <ScrollArea.Autosize
        mah={280}
        type="auto"
        offsetScrollbars="present"
        viewportProps={{ tabIndex: 0 }}
      >
        <DataTable
          label="Tokens used per day and model"
          rows={rows.toReversed()}
          keyOf={({ date, model }) => `${date} ${model}`}
          columns={[
            { head: "Day", cell: ({ date }) => day(`${date}T12:00:00Z`) },
            { head: "Model", cell: ({ model }) => model },
            {
              head: "Generations",
              isRight: true,
              from: 620,
              cell: ({ generations }) => tokens(generations),
            },
            { head: "Tokens", isRight: true, cell: ({ tokens: used }) => tokens(used) },
          ]}
        />
      </ScrollArea.Autosize>
    </details>
  );
}
