/** A table of entries: its columns, which rows can be chosen, and what a click on a row opens. */
import { Checkbox, Table, VisuallyHidden } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { Fragment, type MouseEvent, type ReactNode } from "react";
import type { Selection } from "../data/use-selection.ts";
import classes from "./data-table.module.css";
import { BusyButton } from "./form/form.tsx";

export type Column<Row> = {
  head: string;
  /** For screen readers alone, where the cells have buttons. */
  isHeadHidden?: boolean;
  cell: (row: Row) => ReactNode;
  /** The columns of a table in which only one has none share its width whatever they hold. */
  width?: number | string;
  isRight?: boolean;
  /** Left out where the table itself is narrower, in pixels. */
  from?: 400 | 620 | 800;
};

type Props<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly (Column<Row> | false)[];
  keyOf: (row: Row) => string;
  /** Whether a row opens what its first link or button opens, wherever it is clicked. */
  isOpening?: boolean;
  isDimmed?: (row: Row) => boolean;
  selection?: RowSelection<Row> | undefined;
  /** A further row, as wide as the table. */
  below?: (row: Row) => ReactNode;
  /** The cells of a last row. */
  foot?: ReactNode;
};

/** Which rows are chosen, and what each is called. */
type RowSelection<Row> = Pick<Selection<never>, "has" | "change" | "setAll"> & {
  nameOf: (row: Row) => string;
};

export function DataTable<Row>(props: Props<Row>) {
  const { label, rows, keyOf, isOpening = false, isDimmed, selection, below, foot } = props;
  const columns = props.columns.filter((column) => column !== false);
  const isFixed = columns.filter(({ width }) => width === undefined).length === 1;
  return (
    <div className={classes.table}>
      <Table aria-label={label} {...(isFixed && { layout: "fixed" })}>
        <Table.Thead>
          <Table.Tr>
            {selection && <SelectAllCell rows={rows} keyOf={keyOf} selection={selection} />}
            {columns.map((column) => (
              <Table.Th key={column.head} w={column.width} {...placeOf(column)}>
                {column.isHeadHidden ? <VisuallyHidden>{column.head}</VisuallyHidden> : column.head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Fragment key={keyOf(row)}>
              <Table.Tr
                {...(isOpening && { className: classes.opening, onClick: open })}
                c={isDimmed?.(row) ? "dimmed" : undefined}
              >
                {selection && (
                  <Table.Td>
                    <Checkbox
                      size="sm"
                      aria-label={`Select: ${selection.nameOf(row)}`}
                      checked={selection.has(keyOf(row))}
                      onChange={(event) => selection.change(keyOf(row), event)}
                    />
                  </Table.Td>
                )}
                {columns.map((column) => (
                  <Table.Td key={column.head} {...placeOf(column)}>
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
              {below?.(row) && (
                <Table.Tr>
                  <Table.Td colSpan={columns.length}>{below(row)}</Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
        {foot && (
          <Table.Tfoot>
            <Table.Tr>{foot}</Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </div>
  );
}

function placeOf<Row>({ isRight, from }: Column<Row>) {
  const className = [isRight && "number", from && classes[`from${from}`]].filter(Boolean).join(" ");
  return { ...(isRight && { ta: "right" as const }), className };
}

type SelectAllProps<Row> = Required<Pick<Props<Row>, "rows" | "keyOf">> & {
  selection: RowSelection<Row>;
};

function SelectAllCell<Row>({ rows, keyOf, selection }: SelectAllProps<Row>) {
  const count = rows.filter((row) => selection.has(keyOf(row))).length;
  return (
    <Table.Th w={44}>
      <Checkbox
        size="sm"
        aria-label="Select all shown"
        checked={count >= rows.length}
        indeterminate={count > 0 && count < rows.length}
        onChange={(event) => selection.setAll(event.currentTarget.checked)}
      />
    </Table.Th>
  );
}

/** These do something else, as does the cell around a checkbox that a pointer has missed. */
const OTHERS = "a, button, input, label, td:has(input)";

/** The link or button does it, also for clicks with Control or Command: on a link they open a tab. Keyboards and screen readers use it itself. */
function open({ target, currentTarget, nativeEvent }: MouseEvent<HTMLTableRowElement>): void {
  const isOther = target instanceof Element && target.closest(OTHERS) !== null;
  const isSelecting = window.getSelection()?.isCollapsed === false;
  if (isOther || isSelecting) return;
  const { ctrlKey, metaKey, shiftKey } = nativeEvent;
  const click = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey };
  currentTarget.querySelector("a, button")?.dispatchEvent(new window.MouseEvent("click", click));
}

/** What there is no column for in a narrow table, inside another cell. */
export function Below({ width, children }: { width: 400 | 620; children: ReactNode }) {
  return <div className={classes[`below${width}`]}>{children}</div>;
}

type Ending<Row> = {
  /** The text of the button. */
  action: string;
  /** What the button does to which row, for screen readers; by default as it says. */
  actionOn?: (row: Row) => string;
  /** Rows that stay have no button. */
  stays?: (row: Row) => boolean;
  /** Takes the row's id. */
  end: Pick<UseMutationResult<unknown, Error, string>, "mutate" | "isPending" | "variables">;
};

/** A button in each row that ends or removes it. */
export function endingColumn<Row extends { id: string }>(ending: Ending<Row>): Column<Row> {
  const { action, actionOn = () => action, stays, end } = ending;
  return {
    head: "Actions",
    isHeadHidden: true,
    width: 110,
    cell: (row) =>
      !stays?.(row) && (
        <BusyButton
          size="xs"
          variant="default"
          aria-label={actionOn(row)}
          isBusy={end.isPending && end.variables === row.id}
          onClick={() => end.mutate(row.id)}
        >
          {action}
        </BusyButton>
      ),
  };
}
