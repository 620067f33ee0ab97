/** A field for a whole number of Tokens; it may be left empty unless it is required. */
import type { ComponentProps } from "react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { TextInput } from "./fields.tsx";

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
      max={DASHBOARD_LIMITS.limitTokens}
      step={1}
      placeholder="none"
      defaultValue={value ?? ""}
      {...rest}
    />
  );
}
