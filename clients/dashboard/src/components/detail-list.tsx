/** Names and values below each other. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./detail-list.module.css";

export function Facts({ facts }: { facts: { name: string; value: ReactNode }[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={classes.fact}>
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
