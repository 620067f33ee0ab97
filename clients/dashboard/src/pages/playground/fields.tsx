/** The form's fields, exactly those that the chosen model accepts. */
import { Accordion, Stack } from "@mantine/core";
import { GENERATION_LIMITS } from "#gen/openapi/limits.ts";
import { useScope } from "../../data/scope.ts";
import { ImageFields } from "./image-fields.tsx";
import { ParameterFields } from "./parameter-fields.tsx";
import { SeedFields } from "./seed-fields.tsx";
import { SimulateSelect } from "./simulate-select.tsx";
import type { FieldsProps } from "./form-values.ts";
import { VideoFields } from "./video-fields.tsx";
import { LimitedTextarea } from "../../components/form/limited-textarea.tsx";
import { TextInput } from "../../components/form/fields.tsx";

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
      <Accordion variant="contained" chevronPosition="left">
        <Accordion.Item value="more">
          <Accordion.Control fz="sm">More options</Accordion.Control>
          <Accordion.Panel>
            <Stack>
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
              {mode === "test" && <SimulateSelect {...props} />}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}
