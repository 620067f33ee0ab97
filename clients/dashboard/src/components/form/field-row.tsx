/** Fields of a form with the button beside them, or below them on a phone. */
import type { ReactNode } from "react";
import classes from "./field-row.module.css";

export function FieldRow({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}
