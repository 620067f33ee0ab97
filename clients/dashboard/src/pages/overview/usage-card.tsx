/** Tokens used per day and model over a chosen period, as a chart and a table. */
import { ScrollArea, SegmentedControl, Skeleton } from "@mantine/core";
import { ChartColumn } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { Section } from "../../components/page-head.tsx";
import { Empty, QueryResult } from "../../components/states.tsx";
import { Words } from "../../components/texts.tsx";
import { useAnswer, useMoney } from "../../data/queries.ts";
import { counted, tokens } from "../../data/value-format.ts";
import classes from "./overview.module.css";
import { dateOf, UsageChart } from "./usage-chart.tsx";

export function UsageCard() {
  const [days, setDays] = useState("30");
  const usage = useAnswer("retrieveUsage", { days: Number(days) }, { isRunning: () => false });
  const inMoney = useMoney()(usage.data?.tokens);
  return (
    <Section
      title="Tokens used per day"
      note={
        usage.data
          ? `${tokens(usage.data.tokens)} Tokens${inMoney ? ` (${inMoney})` : ""} for ${counted(usage.data.generations, "generation")}`
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
    </Section>
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
            { head: "Day", cell: dateOf },
            { head: "Model", cell: ({ model }) => <Words text={model} /> },
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
