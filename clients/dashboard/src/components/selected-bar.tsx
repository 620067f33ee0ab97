/** The bar of what can be done with the chosen entries of a list, always in the window. */
import { Button, Group, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./selected-bar.module.css";

type Props = {
  /** How many are chosen, and what of them matters. */
  status: string;
  /** What could not be done. */
  fault?: string | undefined;
  onClear: () => void;
  children: ReactNode;
};

export function SelectedBar({ status, fault, onClear, children }: Props) {
  return (
    <Group
      ref={keepClear}
      justify="space-between"
      className={classes.bar}
      role="region"
      aria-label="Selection"
    >
      <Stack gap={4}>
        <Group gap="sm">
          <Text size="sm" role="status">
            {status}
          </Text>
          <Button variant="default" size="xs" onClick={onClear}>
            Clear
          </Button>
        </Group>
        {fault && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {fault}
          </Text>
        )}
      </Stack>
      <Group className={classes.actions}>{children}</Group>
    </Group>
  );
}

/** The ends of the card and of the page, which are below the bar where the page ends. */
const BELOW_PX = 49;

/** Tells the styles its height: confirmations, and what is scrolled into view for the focus, stay above it. */
function keepClear(bar: HTMLElement | null): (() => void) | undefined {
  if (!bar) return undefined;
  const { style } = document.documentElement;
  const tell = () => style.setProperty("--bottom-bar", `${bar.offsetHeight + BELOW_PX}px`);
  const observer = new ResizeObserver(tell);
  observer.observe(bar);
  tell();
  return () => {
    observer.disconnect();
    style.removeProperty("--bottom-bar");
  };
}
