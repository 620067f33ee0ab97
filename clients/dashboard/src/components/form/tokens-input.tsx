/** A field for a whole number of Tokens; it may be left empty unless it is required. */
import { Text } from "@mantine/core";
import { useState, type ComponentProps } from "react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { TextInput } from "./fields.tsx";

const grouped = new Intl.NumberFormat("en-US");
/** From here on digits are hard to count. */
const LONG = 10_000;

type Props = Omit<ComponentProps<typeof TextInput>, "value" | "type"> & {
  /** What the field begins with, and has until something is entered. */
  value: number | undefined;
};

export function TokensInput({ value, ...rest }: Props) {
  const [entered, setEntered] = useState<number>();
  const shown = entered ?? value ?? 0;
  return (
    <TextInput
      type="number"
      inputMode="numeric"
      min={1}
      max={DASHBOARD_LIMITS.limitTokens}
      step={1}
      placeholder="none"
      defaultValue={value ?? ""}
      onInput={(event) => setEntered(Number(event.currentTarget.value))}
      rightSectionWidth="auto"
      rightSectionPointerEvents="none"
      rightSection={
        shown >= LONG && (
          <Text size="xs" c="dimmed" className="number" px="sm" aria-hidden>
            {grouped.format(shown)}
          </Text>
        )
      }
      {...rest}
    />
  );
}
