/** The form's fields, exactly those that the chosen model accepts. */
import "@mantine/core/styles/Accordion.layer.css";
import { Accordion, Select, Stack, Switch } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { DASHBOARD_LIMITS, GENERATION_LIMITS } from "#gen/openapi/limits.ts";
import { useScope } from "../../data/scope.ts";
import { ParameterFields } from "./parameter-fields.tsx";
import { SimulateSelect } from "./simulate-select.tsx";
import type { FieldsProps } from "./form-values.ts";
import { VideoFields } from "./video-fields.tsx";
import { LimitedTextarea, TextInput } from "../../components/form/form.tsx";
import { ReferenceImages } from "./reference-images.tsx";

export function Fields(props: FieldsProps) {
  const { model, values, onChange } = props;
  const { mode } = useScope();
  return (
    <>
      <LimitedTextarea
        label="Prompt"
        required
        autosize
        minRows={3}
        maxRows={10}
        limit={GENERATION_LIMITS.prompt}
        placeholder="A cat asleep on a warm radiator, snow outside the window"
        value={values.prompt}
        onChange={(prompt) => onChange({ prompt })}
      />
      {model.kind === "video" ? <VideoFields {...props} /> : <ImageFields {...props} />}
      <MoreOptions isOpenAtFirst={mode === "test" && values.simulate !== ""}>
        <LimitedTextarea
          label="Negative prompt"
          description="What the result must not show."
          autosize
          minRows={2}
          limit={GENERATION_LIMITS.negative_prompt}
          value={values.negativePrompt}
          onChange={(negativePrompt) => onChange({ negativePrompt })}
        />
        <ParameterFields {...props} />
        <SeedFields {...props} />
        <TextInput
          label="Webhook URL"
          description={`Called when the ${model.kind} is finished.`}
          type="url"
          placeholder="https://shop.example.com/hooks/media"
          value={values.webhookUrl}
          onChange={(event) => onChange({ webhookUrl: event.currentTarget.value })}
        />
        <TextInput
          label="End user"
          description="Which of your own users it is for, sent as end_user."
          maxLength={DASHBOARD_LIMITS.endUser}
          value={values.endUser}
          onChange={(event) => onChange({ endUser: event.currentTarget.value })}
        />
        {mode === "test" && <SimulateSelect {...props} />}
      </MoreOptions>
    </>
  );
}

type MoreProps = { isOpenAtFirst: boolean; children: ReactNode };

/** The section of what is seldom needed; until the user opens or closes it, open where something in it must be seen. */
function MoreOptions({ isOpenAtFirst, children }: MoreProps) {
  const [opened, setOpened] = useState<string | null>();
  const atFirst = isOpenAtFirst ? "more" : null;
  return (
    <Accordion
      variant="contained"
      chevronPosition="left"
      value={opened === undefined ? atFirst : opened}
      onChange={setOpened}
    >
      <Accordion.Item value="more">
        <Accordion.Control fz="sm">More options</Accordion.Control>
        <Accordion.Panel>
          <Stack>{children}</Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}

function SeedFields({ model: { parameters }, values, onChange }: FieldsProps) {
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

function ImageFields({ model, values, onChange }: FieldsProps) {
  const tiers = model.pricing?.tiers;
  const sizes = tiers
    ? tiers.map(({ tier, sizes: items, tokens }) => ({
        group: `${tier}, ${tokens} Tokens`,
        items,
      }))
    : model.sizes;
  return (
    <>
      <Select
        label="Size"
        allowDeselect={false}
        data={sizes}
        value={values.size}
        onChange={(size) => onChange({ size: size ?? values.size })}
      />
      {model.inputs.includes("image") && model.max_reference_images > 0 && (
        <ReferenceImages
          max={model.max_reference_images}
          images={values.imageUrls}
          urlOf={(url) => url}
          withUrl={(_, url) => url}
          empty=""
          placeholder="https://images.example.com/chair.png"
          onChange={(imageUrls) => onChange({ imageUrls })}
        />
      )}
    </>
  );
}
