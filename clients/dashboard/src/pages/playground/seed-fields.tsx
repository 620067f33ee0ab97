/** The image fields that affect repeatability: the seed, and whether the prompt may be rewritten. */
import { NumberInput, Switch } from "@mantine/core";
import type { FieldsProps } from "./form-values.ts";

const MAX_SEED = 2_147_483_647;

export function SeedFields({ values, onChange }: FieldsProps) {
  return (
    <>
      <NumberInput
        label="Seed"
        description="The same seed with the same request gives similar pictures."
        min={0}
        max={MAX_SEED}
        allowDecimal={false}
        value={values.seed ?? ""}
        onChange={(seed) => onChange({ seed: typeof seed === "number" ? seed : undefined })}
      />
      <Switch
        label="Allow rewriting the prompt for a richer picture"
        checked={values.promptExtend}
        onChange={(event) => onChange({ promptExtend: event.currentTarget.checked })}
      />
    </>
  );
}
