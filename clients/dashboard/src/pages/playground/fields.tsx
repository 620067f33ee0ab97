/** The fields that the chosen model accepts, and no others. */
import { Accordion, Stack, Textarea, TextInput } from "@mantine/core";
import type { Model } from "../../api/client.ts";
import { usePlace } from "../../session/scope.ts";
import { ImageFields } from "./image-fields.tsx";
import { Seed } from "./seed.tsx";
import { SimulateSelect } from "./simulate-select.tsx";
import type { Values } from "./values.ts";
import { VideoFields } from "./video-fields.tsx";

const PROMPT_LENGTH = 5_000;

export type FieldsProps = {
  model: Model;
  values: Values;
  onChange: (change: Partial<Values>) => void;
};

export function Fields(props: FieldsProps) {
  const { model, values, onChange } = props;
  const { mode } = usePlace();
  return (
    <>
      <Textarea
        label="Prompt"
        required
        autosize
        minRows={3}
        maxRows={10}
        maxLength={PROMPT_LENGTH}
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
                description="What it must not show."
                autosize
                minRows={2}
                maxLength={2_000}
                value={values.negativePrompt}
                onChange={(event) => onChange({ negativePrompt: event.currentTarget.value })}
              />
              {model.kind === "video" ? (
                <TextInput
                  label="Webhook URL"
                  description="Told when the video is done."
                  type="url"
                  placeholder="https://shop.example.com/hooks/media"
                  value={values.webhookUrl}
                  onChange={(event) => onChange({ webhookUrl: event.currentTarget.value })}
                />
              ) : (
                <Seed {...props} />
              )}
              {mode === "test" && <SimulateSelect {...props} />}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </>
  );
}
