/** The form's fields, exactly those that the chosen model accepts. */
import "@mantine/core/styles/Accordion.layer.css";
import "@mantine/core/styles/Slider.layer.css";
import { Accordion, Input, Select, Slider, Stack } from "@mantine/core";
import { useState } from "react";
import { flushSync } from "react-dom";
import { DASHBOARD_LIMITS, GENERATION_LIMITS } from "#gen/openapi/limits.ts";
import type { Schemas } from "../../api/client.ts";
import { LimitedTextarea, TextInput } from "../../components/form/form.tsx";
import { PARAMETER_LABELS } from "../../components/parameter-labels.ts";
import { useScope } from "../../data/scope.ts";
import { EXAMPLES, type FieldsProps } from "./form-values.ts";
import { ImageInput, ReferenceImages } from "./image-input.tsx";

export function Fields(props: FieldsProps) {
  const { model, values, onChange } = props;
  const { mode } = useScope();
  // Open where something in it must be seen.
  const isUsed = values.webhook_url || (mode === "test" && values.simulate);
  const [opened, setOpened] = useState(isUsed ? "more" : null);
  return (
    <>
      <LimitedTextarea
        name="prompt"
        label="Prompt"
        required
        autosize
        minRows={3}
        maxRows={10}
        limit={GENERATION_LIMITS.prompt}
        placeholder={EXAMPLES.prompt}
        value={values.prompt ?? ""}
        onChange={(prompt) => onChange({ prompt })}
      />
      <KindFields {...props} />
      <Accordion
        variant="contained"
        chevronPosition="left"
        value={opened}
        onChange={setOpened}
        // At once: the field takes the focus, and must be seen by then.
        transitionDuration={0}
        onInvalidCapture={() => flushSync(() => setOpened("more"))}
      >
        <Accordion.Item value="more">
          <Accordion.Control fz="sm">More options</Accordion.Control>
          <Accordion.Panel>
            <Stack>
              <LimitedTextarea
                name="negative_prompt"
                label="Negative prompt"
                description="What the result must not show."
                autosize
                minRows={2}
                limit={GENERATION_LIMITS.negative_prompt}
                value={values.negative_prompt ?? ""}
                onChange={(text) => onChange({ negative_prompt: text })}
              />
              {Object.entries(model.parameters).map(([name, parameter]) => (
                <ParameterField key={name} {...props} name={name} parameter={parameter} />
              ))}
              <TextInput
                name="webhook_url"
                label="Webhook URL"
                description={`Called when the ${model.kind} is finished.`}
                type="url"
                placeholder="https://shop.example.com/hooks/media"
                value={values.webhook_url ?? ""}
                onChange={(event) => onChange({ webhook_url: event.currentTarget.value })}
              />
              <TextInput
                name="end_user"
                label="End user"
                description="Which of your own users it is for, sent as end_user."
                maxLength={DASHBOARD_LIMITS.endUser}
                value={values.end_user ?? ""}
                onChange={(event) => onChange({ end_user: event.currentTarget.value })}
              />
              {mode === "test" && (
                <Select
                  label="Simulated outcome"
                  description="Sent as metadata.simulate; test mode only."
                  allowDeselect={false}
                  data={OUTCOMES}
                  value={values.simulate ?? ""}
                  onChange={(simulate) => onChange({ simulate: simulate ?? "" })}
                />
              )}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}

const OUTCOMES = [
  { value: "", label: "Succeed" },
  { value: "slow:10", label: "Take 10 seconds longer" },
  { value: "fail:content_rejected", label: "Fail: content rejected" },
  { value: "fail:invalid_input", label: "Fail: invalid input" },
  { value: "fail:upstream_failed", label: "Fail: generation failed" },
  { value: "hang", label: "Never finish" },
];

/** What only models of one kind have. */
function KindFields({ model, values, onChange }: FieldsProps) {
  const { kind, durations, aspect_ratios: ratios = [], sizes, pricing, inputs } = model;
  const seconds = values.duration ?? durations?.default ?? 0;
  const tiers = pricing?.tiers?.map(({ tier, sizes: items, tokens }) => ({
    group: `${tier}, ${tokens} Tokens`,
    items,
  }));
  return (
    <>
      {kind === "video" && inputs.includes("image") && (
        <ImageInput
          name="image_url"
          label="Image URL"
          what="the image"
          description="The first frame or a reference: a public URL, or a file that you choose or drop here."
          required={model.required_inputs.includes("image")}
          placeholder={EXAMPLES.image_url}
          value={values.image_url ?? ""}
          onChange={(url) => onChange({ image_url: url })}
        />
      )}
      {durations && (
        <Input.Wrapper label={`Duration: ${seconds} s`} labelElement="div">
          <Slider
            thumbLabel="Duration in seconds"
            min={durations.min}
            max={durations.max}
            step={durations.step}
            label={null}
            my={8}
            value={seconds}
            onChange={(duration) => onChange({ duration })}
          />
        </Input.Wrapper>
      )}
      {ratios.length > 0 && (
        <Select
          label="Aspect ratio"
          allowDeselect={false}
          data={ratios}
          value={values.aspect_ratio ?? null}
          onChange={(ratio) => onChange({ aspect_ratio: ratio })}
        />
      )}
      {sizes.length > 0 && (
        <Select
          label="Size"
          allowDeselect={false}
          data={tiers ?? sizes}
          value={values.size ?? null}
          onChange={(size) => onChange({ size })}
        />
      )}
      {kind === "image" && inputs.includes("image") && model.max_reference_images > 0 && (
        <ReferenceImages
          max={model.max_reference_images}
          images={(values.image_urls ?? []).map((url) => ({ url, role: "subject" }))}
          onChange={(images) => onChange({ image_urls: images.map(({ url }) => url) })}
        />
      )}
    </>
  );
}

type ParameterProps = FieldsProps & { name: string; parameter: Schemas["ModelParameter"] };

/** An optional field that only some models have. */
function ParameterField({ name, parameter, values, onChange }: ParameterProps) {
  const { values: offered, max = 1 } = parameter;
  const label = PARAMETER_LABELS[name];
  const value = (values as Record<string, string | number | boolean | undefined>)[name];
  const set = (entered: unknown) => onChange({ [name]: entered });
  if (name === "reference_images") {
    return (
      <ReferenceImages
        max={max}
        roles={offered ?? ["subject"]}
        images={values.reference_images ?? []}
        onChange={set}
      />
    );
  }
  if (name === "seed") {
    return (
      <TextInput
        name="seed"
        type="number"
        inputMode="numeric"
        label="Seed"
        description="The same seed with the same request gives similar results."
        min={0}
        max={GENERATION_LIMITS.seed}
        step={1}
        value={values.seed ?? ""}
        onChange={({ target: { value: text } }) => set(text === "" ? undefined : Number(text))}
      />
    );
  }
  if (label === undefined) return null;
  if (name === "last_image_url" || name === "mask_url") {
    return (
      <ImageInput
        name={name}
        label={label}
        what={name === "mask_url" ? "the mask" : "the last frame"}
        description="A public URL, or a file that you choose or drop here."
        value={String(value ?? "")}
        onChange={set}
      />
    );
  }
  if (name.endsWith("_url")) {
    return (
      <TextInput
        name={name}
        label={label}
        type="url"
        value={String(value ?? "")}
        onChange={(event) => set(event.currentTarget.value)}
      />
    );
  }
  const choices = choicesOf(name, offered, max);
  return (
    <Select
      label={label}
      placeholder={name === "n" ? "1" : "The model decides"}
      clearable
      data={choices.map((one) => ({ value: String(one.value), label: one.label }))}
      value={value === undefined ? null : String(value)}
      onChange={(chosen) => set(choices.find((one) => String(one.value) === chosen)?.value)}
    />
  );
}

function choicesOf(name: string, offered: readonly string[] | undefined, max: number) {
  if (name === "audio" || name === "prompt_extend")
    return [true, false].map((value) => ({ value, label: value ? "Yes" : "No" }));
  const counts = Array.from({ length: max }, (_, index) => index + 1);
  return (offered ?? counts).map((value) => ({ value, label: String(value) }));
}
