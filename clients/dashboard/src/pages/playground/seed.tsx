/** What makes two pictures alike or not: the seed, and whether the prompt may be rewritten. */
import { NumberInput, Switch } from "@mantine/core";
import type { FieldsProps } from "./fields.tsx";

const LARGEST_SEED = 2_147_483_647;

export function Seed({ values, onChange }: FieldsProps) {
  return (
    <>
      <NumberInput
        label="Seed"
        description="The same seed with the same request gives similar pictures."
        min={0}
        max={LARGEST_SEED}
        allowDecimal={false}
        value={values.seed ?? ""}
        onChange={(seed) => onChange({ seed: typeof seed === "number" ? seed : undefined })}
      />
      <Switch
        label="The prompt may be rewritten for a richer picture"
        checked={values.promptExtend}
        onChange={(event) => onChange({ promptExtend: event.currentTarget.checked })}
      />
    </>
  );
}
