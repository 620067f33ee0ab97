/** A field for a whole number of Tokens; it may be left empty unless it is required. */
import type { ComponentProps } from "react";
import { TextInput } from "./fields.tsx";

const MAX_TOKENS = 1_000_000_000_000_000;

type Props = Omit<ComponentProps<typeof TextInput>, "value" | "type"> & {
  /** What the field begins with. */
  value: number | undefined;
};

export function TokensInput({ value, ...rest }: Props) {
  return (
    <TextInput
      type="number"
      inputMode="numeric"
      min={1}
      max={MAX_TOKENS}
      step={1}
      placeholder="none"
      defaultValue={value ?? ""}
      {...rest}
    />
  );
}
