/** A table whose rows a user ends or removes one by one, by a button in each. */
import { Table, VisuallyHidden } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { BusyButton } from "./form/busy-button.tsx";

export type Column<Row> = {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Left out on narrow screens. */
  isOptional?: boolean;
};

type Props<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** The text of the button. */
  action: string;
  /** What the button does to which row, for screen readers; by default as it says. */
  actionOn?: (row: Row) => string;
  /** Rows that stay have no button. */
  stays?: (row: Row) => boolean;
  /** Takes the row's id. */
  end: Pick<UseMutationResult<unknown, Error, string>, "mutate" | "isPending" | "variables">;
};

export function EndingTable<Row extends { id: string }>(props: Props<Row>) {
  const { label, rows, columns, action, actionOn = () => action, stays, end } = props;
  const widthOf = ({ isOptional }: Column<Row>) => (isOptional ? { visibleFrom: "sm" } : {});
  return (
    <Table aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {columns.map((column) => (
            <Table.Th key={column.head} {...widthOf(column)}>
              {column.head}
            </Table.Th>
          ))}
          <Table.Th w={110}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.id}>
            {columns.map((column, index) => (
              <Table.Td
                key={column.head}
                {...widthOf(column)}
                // An e-mail address must not push the button off a phone.
                {...(index === 0 && { style: { overflowWrap: "anywhere" } })}
              >
                {column.cell(row)}
              </Table.Td>
            ))}
            <Table.Td>
              {!stays?.(row) && (
                <BusyButton
                  size="xs"
                  variant="default"
                  aria-label={actionOn(row)}
                  isBusy={end.isPending && end.variables === row.id}
                  onClick={() => end.mutate(row.id)}
                >
                  {action}
                </BusyButton>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
