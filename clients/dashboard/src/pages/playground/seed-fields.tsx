/** The fields that affect repeatability: the seed, and whether the prompt may be rewritten. */
import { Switch } from "@mantine/core";
import { GENERATION_LIMITS } from "#gen/openapi/limits.ts";
import { TextInput } from "../../components/form/fields.tsx";
import type { FieldsProps } from "./form-values.ts";

export function SeedFields({ model: { parameters }, values, onChange }: FieldsProps) {
  return (
    <>
      {"seed" in parameters && (
        <TextInput
          type="number"
          inputMode="numeric"
          label="Seed"
          description="The same seed with the same request gives similar results."
          min={0}
          max={GENERATION_LIMITS.seed}
          step={1}
          value={values.seed ?? ""}
          onChange={({ currentTarget: { value } }) =>
            onChange({ seed: value === "" ? undefined : Number(value) })
          }
        />
      )}
      {"prompt_extend" in parameters && (
        <Switch
          label="Allow rewriting the prompt for a richer picture"
          checked={values.promptExtend}
          onChange={(event) => onChange({ promptExtend: event.currentTarget.checked })}
        />
      )}
    </>
  );
}
