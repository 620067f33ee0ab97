/** The chart's numbers as a table, also for screen readers. */
import { ScrollArea } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { day, tokens } from "../../components/value-format.ts";
import classes from "./overview.module.css";

export function UsageTable({ days }: { days: readonly Schemas["UsageDay"][] }) {
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
