/** Test mode only: the outcome that the simulator produces, so that users can try each of them. */
import { Select } from "@mantine/core";
import type { FieldsProps } from "./form-values.ts";

/** What the user has chosen that the simulator does; undefined where it is to succeed. */
export function outcomeLabel(simulate: string): string | undefined {
  if (simulate === "") return undefined;
  return OUTCOMES.find(({ value }) => value === simulate)?.label ?? simulate;
}

const OUTCOMES = [
  { value: "", label: "Succeed" },
  { value: "slow:10", label: "Take 10 seconds longer" },
  { value: "fail:content_rejected", label: "Fail: content rejected" },
  { value: "fail:invalid_input", label: "Fail: invalid input" },
  { value: "fail:upstream_failed", label: "Fail: generation failed" },
  { value: "hang", label: "Never finish" },
];

export function SimulateSelect({ values, onChange }: FieldsProps) {
  return (
    <Select
      label="Simulated outcome"
      description="Sent as metadata.simulate; test mode only."
      allowDeselect={false}
      data={OUTCOMES}
      value={values.simulate}
      onChange={(simulate) => onChange({ simulate: simulate ?? "" })}
    />
  );
}
