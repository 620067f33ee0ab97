/** The form's fields, exactly those that the chosen model accepts. */
import "@mantine/core/styles/Accordion.layer.css";
import { Accordion, Stack } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { DASHBOARD_LIMITS, GENERATION_LIMITS } from "#gen/openapi/limits.ts";
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
