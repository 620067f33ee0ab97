/** A list of names and their values. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./detail-list.module.css";

export type Detail = { name: string; value: ReactNode };

export function DetailList({ details }: { details: Detail[] }) {
  return (
    <dl className={classes.list}>
      {details.map(({ name, value }) => (
        <div key={name} className={classes.item}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} className={classes.value}>
            {value}
          </Text>
        </div>
      ))}
    </dl>
  );
}
