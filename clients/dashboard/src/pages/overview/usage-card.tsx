/** Tokens used per day by model: a choice of days, the chart, and the same as a table. */
import { Card, Group, SegmentedControl, Skeleton, Text, Title } from "@mantine/core";
import { ChartColumn } from "lucide-react";
import { useState } from "react";
import { useUsage } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { tokens } from "../../components/numbers.ts";
import { Shown } from "../../components/value-format.tsx";
import { UsageChart } from "./usage-chart.tsx";
import { UsageTable } from "./usage-table.tsx";

const SPANS = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

export function UsageCard() {
  const [span, setSpan] = useState("30");
  const usage = useUsage(Number(span));
  return (
    <Card component="section" aria-labelledby="usage">
      <Group justify="space-between" align="flex-start" mb="md">
        <div>
          <Title order={2} id="usage" fz={16}>
            Tokens used per day
          </Title>
          <Text size="sm" c="dimmed" className="number">
            {usage.data
              ? `${tokens(usage.data.tokens)} Tokens for ${tokens(usage.data.generations)} generations`
              : " "}
          </Text>
        </div>
        <SegmentedControl
          size="xs"
          aria-label="Days shown"
          data={SPANS}
          value={span}
          onChange={setSpan}
        />
      </Group>
      <Shown query={usage} loading={<Skeleton height={230} radius="md" />}>
        {({ days }) =>
          days.some((one) => one.models.length > 0) ? (
            <>
              <UsageChart days={days} />
              <UsageTable days={days} />
            </>
          ) : (
            <Empty icon={ChartColumn} title="No Tokens used in these days">
              What your generations cost will stand here, day by day and model by model.
            </Empty>
          )
        }
      </Shown>
    </Card>
  );
}
