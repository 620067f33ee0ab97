/** The form's fields, exactly those that the chosen model accepts. */
import { Accordion, Stack, Textarea, TextInput } from "@mantine/core";
import { useScope } from "../../session/scope.ts";
import { ImageFields } from "./image-fields.tsx";
import { SeedFields } from "./seed-fields.tsx";
import { SimulateSelect } from "./simulate-select.tsx";
import type { FieldsProps } from "./form-values.ts";
import { VideoFields } from "./video-fields.tsx";

const MAX_PROMPT_LENGTH = 5_000;

export function Fields(props: FieldsProps) {
  const { model, values, onChange } = props;
  const { mode } = useScope();
  return (
    <>
      <Textarea
        label="Prompt"
        required
        autosize
        minRows={3}
        maxRows={10}
        maxLength={MAX_PROMPT_LENGTH}
        placeholder="A cat asleep on a warm radiator, snow outside the window"
        value={values.prompt}
        onChange={(event) => onChange({ prompt: event.currentTarget.value })}
      />
      {model.kind === "video" ? <VideoFields {...props} /> : <ImageFields {...props} />}
      <Accordion variant="contained" chevronPosition="left">
        <Accordion.Item value="more">
          <Accordion.Control fz="sm">More options</Accordion.Control>
          <Accordion.Panel>
            <Stack>
              <Textarea
                label="Negative prompt"
                description="What the result must not show."
                autosize
                minRows={2}
                maxLength={2_000}
                value={values.negativePrompt}
                onChange={(event) => onChange({ negativePrompt: event.currentTarget.value })}
              />
              {model.kind === "video" ? (
                <TextInput
                  label="Webhook URL"
                  description="Called when the video is finished."
                  type="url"
                  placeholder="https://shop.example.com/hooks/media"
                  value={values.webhookUrl}
                  onChange={(event) => onChange({ webhookUrl: event.currentTarget.value })}
                />
              ) : (
                <SeedFields {...props} />
              )}
              {mode === "test" && <SimulateSelect {...props} />}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}
