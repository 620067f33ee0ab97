/** A row of a table that opens what its first link or button opens, wherever it is clicked. */
import { Table } from "@mantine/core";
import type { MouseEvent, ReactNode } from "react";
import classes from "./opening-row.module.css";

/** These do something else, as does the cell around a checkbox that a pointer has missed. */
const OTHERS = "a, button, input, label, td:has(input)";

export function OpeningRow({ children }: { children: ReactNode }) {
  return (
    <Table.Tr className={classes.row} onClick={open}>
      {children}
    </Table.Tr>
  );
}

/** The link or button does it, also for clicks with Control or Command: on a link they open a tab. Keyboards and screen readers use it itself. */
function open({ target, currentTarget, nativeEvent }: MouseEvent<HTMLTableRowElement>): void {
  const isOther = target instanceof Element && target.closest(OTHERS) !== null;
  const isSelecting = window.getSelection()?.isCollapsed === false;
  if (isOther || isSelecting) return;
  const { ctrlKey, metaKey, shiftKey } = nativeEvent;
  const click = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey };
  currentTarget.querySelector("a, button")?.dispatchEvent(new window.MouseEvent("click", click));
}
