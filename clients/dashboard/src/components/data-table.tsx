/** Every table: its rows with what is shown instead of them and the button for more, which can be chosen, and what a click opens. */
import { Center, Checkbox, Group, Table, VisuallyHidden } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { SearchX } from "lucide-react";
import { type MouseEvent, type ReactNode } from "react";
import { Refusal } from "../api/refusal.ts";
import { type Call, type ListResult, useAction } from "../data/queries.ts";
import type { Selection } from "../data/use-selection.ts";
import classes from "./data-table.module.css";
import { BusyButton } from "./form/form.tsx";
import { Empty, EmptyAction, Failure, QueryResult } from "./states.tsx";
import { RelativeTime } from "./texts.tsx";

export type Column<Row> = {
  head: string;
  isHeadHidden?: boolean;
  cell: (row: Row) => ReactNode;
  /** The columns of a table in which only one has none share its width whatever they hold. */
  width?: number | string;
  isRight?: boolean;
  /** Left out where the table itself is narrower, in pixels. */
  from?: 500 | 800;
  /** Shown in the first column where it is left out: its cell, or something shorter. */
  below?: true | ((row: Row) => ReactNode);
};

type TimeColumn<Row> = Pick<Column<Row>, "head" | "from" | "below"> & {
  time: (row: Row) => string;
};

/** Its cells have buttons; its head is for screen readers alone. */
type ActionColumn<Row> = Omit<Column<Row>, "cell" | "head"> & { actions: Column<Row>["cell"] };
type AnyColumn<Row> = Column<Row> | TimeColumn<Row> | ActionColumn<Row>;

/** False for one that is left out. */
export type Columns<Row> = readonly (AnyColumn<Row> | false)[];

function columnOf<Row>(column: AnyColumn<Row>): Column<Row> {
  if ("cell" in column) return column;
  if ("actions" in column)
    return { ...column, head: "Actions", isHeadHidden: true, cell: column.actions };
  const { time, ...rest } = column;
  const cell = (row: Row) => <RelativeTime time={time(row)} />;
  return { ...rest, width: 110, isRight: true, cell };
}

type DataListProps<Row> = {
  list: ListResult<Row>;
  loading?: ReactNode;
  /** Shown where there is nothing at all. */
  empty: ReactNode;
  /** Takes the filters away; undefined while there are none. */
  onClear?: (() => void) | undefined;
  /** On the button that loads more. */
  more?: string;
  children: (rows: Row[]) => ReactNode;
};

/** The loaded pages of a list. */
export function DataList<Row>(props: DataListProps<Row>) {
  const { list, loading, empty, onClear, more = "Show more", children } = props;
  const none = onClear ? (
    <Empty
      icon={SearchX}
      title={list.hasNextPage ? "Nothing found so far" : "No matches"}
      action={<EmptyAction onClick={onClear}>Clear the filters</EmptyAction>}
    />
  ) : (
    empty
  );
  // The field of a filter that was refused says why: nothing was searched.
  const isRefused = list.error instanceof Refusal && list.error.status === 400;
  if (onClear && isRefused && !list.data) return null;
  return (
    <>
      <QueryResult query={list} loading={loading}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          return rows.length > 0 ? children(rows) : none;
        }}
      </QueryResult>
      {list.hasNextPage && (
        <Center mt="md">
          <BusyButton
            variant="default"
            isBusy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {more}
          </BusyButton>
        </Center>
      )}
    </>
  );
}

type TableProps<Row> = {
  label: string;
  columns: Columns<Row>;
  /** By default the row's id. */
  keyOf?: (row: Row) => string;
  /** Whether a row opens what its first link or button opens, wherever it is clicked. */
  isOpening?: boolean;
  selection?: Omit<Selection<{ id: string }>, "selected"> | undefined;
  /** What a row that can be chosen is called. */
  nameOf?: (row: Row) => string;
  /** The button at the end of each row that ends or removes it. */
  ending?: Ending<Row> | false;
};

type Source<Row> =
  | { rows: readonly Row[]; empty?: ReactNode }
  | { query: UseQueryResult<{ data: Row[] }>; empty?: ReactNode }
  | Omit<DataListProps<Row>, "children">;

export function DataTable<Row>(props: TableProps<Row> & Source<Row>) {
  const shown = (rows: readonly Row[]) =>
    rows.length === 0 && "empty" in props ? props.empty : <Rows {...props} rows={rows} />;
  if ("rows" in props) return shown(props.rows);
  if ("list" in props) return <DataList {...props}>{shown}</DataList>;
  return <QueryResult query={props.query}>{({ data }) => shown(data)}</QueryResult>;
}

function Rows<Row>(props: TableProps<Row> & { rows: readonly Row[] }) {
  const { label, rows, isOpening = false, selection, nameOf } = props;
  const { keyOf = (row: Row) => (row as { id: string }).id } = props;
  const [endColumn, failure] = useEnding(props.ending || undefined);
  const columns = [...props.columns, endColumn].filter((column) => column !== false).map(columnOf);
  const isFixed = columns.filter(({ width }) => width === undefined).length === 1;
  const count = rows.filter((row) => selection?.has(keyOf(row))).length;
  return (
    <div className={classes.table}>
      {failure}
      <Table aria-label={label} {...(isFixed && { layout: "fixed" })}>
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th w={44}>
                <Checkbox
                  aria-label="Select all shown"
                  checked={count >= rows.length}
                  indeterminate={count > 0 && count < rows.length}
                  onChange={(event) => selection.setAll(event.currentTarget.checked)}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Table.Th key={column.head} w={column.width} {...placeOf(column)}>
                {column.isHeadHidden ? <VisuallyHidden>{column.head}</VisuallyHidden> : column.head}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr
              key={keyOf(row)}
              {...(isOpening && { className: classes.opening, onClick: open })}
            >
              {selection && (
                <Table.Td>
                  <Checkbox
                    aria-label={`Select: ${nameOf?.(row) ?? keyOf(row)}`}
                    checked={selection.has(keyOf(row))}
                    onChange={(event) => selection.change(keyOf(row), event)}
                  />
                </Table.Td>
              )}
              {columns.map((column, index) => (
                <Table.Td key={column.head} {...placeOf(column)}>
                  {column.cell(row)}
                  {index === 0 && <LeftOut columns={columns} row={row} />}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function placeOf<Row>({ isRight, from }: Column<Row>) {
  const className = [isRight && "number", from && classes[`from${from}`]].filter(Boolean).join(" ");
  return { ...(isRight && { ta: "right" as const }), className };
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

/** In one line as far as they fit. */
function LeftOut<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return (
    <Group gap="0 12px" mt={2} fz="xs" lh="xs" c="dimmed">
      {columns.map(
        ({ head, from, below, cell }) =>
          from &&
          below && (
            <div key={head} className={classes[`below${from}`]}>
              {below === true ? cell(row) : below(row)}
            </div>
          ),
      )}
    </Group>
  );
}

type Ending<Row> = {
  /** The text of the button. */
  action: string;
  /** What the button does to which row, for screen readers; by default as it says. */
  actionOn?: (row: Row) => string;
  /** Rows that stay have no button. */
  stays?: (row: Row) => boolean;
  run: (call: Call, row: Row) => Promise<unknown>;
};

/** A column with the buttons, and what is said where one failed. */
function useEnding<Row>(ending: Ending<Row> | undefined): [ActionColumn<Row> | false, ReactNode] {
  const acting = useAction<Row>(async (call, row) => ending?.run(call, row));
  if (!ending) return [false, null];
  const { action, actionOn = () => action, stays } = ending;
  const column: ActionColumn<Row> = {
    width: 110,
    actions: (row) =>
      !stays?.(row) && (
        <BusyButton
          size="xs"
          variant="default"
          aria-label={actionOn(row)}
          isBusy={acting.isPending && acting.variables === row}
          onClick={() => acting.mutate(row)}
        >
          {action}
        </BusyButton>
      ),
  };
  return [column, acting.error && <Failure error={acting.error} />];
}
