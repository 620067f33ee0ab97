/** The chart's numbers as a table, also for screen readers. */
import { ScrollArea, Table } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
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
        <Table
          aria-label="Tokens used per day and model"
          verticalSpacing={4}
          horizontalSpacing="xs"
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Day</Table.Th>
              <Table.Th>Model</Table.Th>
              <Table.Th ta="right" visibleFrom="sm">
                Generations
              </Table.Th>
              <Table.Th ta="right">Tokens</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className="number">
            {rows.toReversed().map(({ date, model, generations, tokens: used }) => (
              <Table.Tr key={`${date} ${model}`}>
                <Table.Td style={{ whiteSpace: "nowrap" }}>{day(`${date}T12:00:00Z`)}</Table.Td>
                <Table.Td>{model}</Table.Td>
                <Table.Td ta="right" visibleFrom="sm">
                  {tokens(generations)}
                </Table.Td>
                <Table.Td ta="right">{tokens(used)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
    </details>
  );
}
