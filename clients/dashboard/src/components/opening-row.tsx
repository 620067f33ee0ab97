/** A row of a table that opens what its first link opens, wherever it is clicked. */
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

/** The link does it, for clicks with Control or Command too: they open a tab. Keyboards and screen readers use the link. */
function open({ target, currentTarget, nativeEvent }: MouseEvent<HTMLTableRowElement>): void {
  const isOther = target instanceof Element && target.closest(OTHERS) !== null;
  const isSelecting = window.getSelection()?.isCollapsed === false;
  if (isOther || isSelecting) return;
  const { ctrlKey, metaKey, shiftKey } = nativeEvent;
  const click = { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey };
  currentTarget.querySelector("a")?.dispatchEvent(new window.MouseEvent("click", click));
}
