/** The cells of a table whose rows can be chosen: one in its head for all rows, one in each row. */
import { Checkbox, Table } from "@mantine/core";
import type { Selection } from "../data/use-selection.ts";

/** Which rows are chosen; without it rows cannot be. */
export type TableSelection<Entry> = Pick<Selection<Entry>, "selected" | "change" | "setAll">;

type AllProps<Entry> = { shown: readonly Entry[]; selection: TableSelection<Entry> | undefined };

export function SelectAllCell<Entry>({ shown, selection }: AllProps<Entry>) {
  if (!selection) return null;
  const count = selection.selected.length;
  return (
    <Table.Th w={44}>
      <Checkbox
        size="sm"
        aria-label="Select all shown"
        checked={count >= shown.length}
        indeterminate={count > 0 && count < shown.length}
        onChange={(event) => selection.setAll(event.currentTarget.checked)}
      />
    </Table.Th>
  );
}

type Props<Entry> = {
  entry: Entry;
  /** Names the row. */
  label: string;
  selection: TableSelection<Entry> | undefined;
};

export function SelectCell<Entry extends { id: string }>({
  entry,
  label,
  selection,
}: Props<Entry>) {
  if (!selection) return null;
  return (
    <Table.Td>
      <Checkbox
        size="sm"
        aria-label={`Select: ${label}`}
        checked={selection.selected.includes(entry)}
        onChange={(event) => selection.change(entry.id, event)}
      />
    </Table.Td>
  );
}
