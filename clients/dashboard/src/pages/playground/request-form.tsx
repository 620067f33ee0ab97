/** The form of a request: model, its fields, price and Generate. */
import { Stack } from "@mantine/core";
import type { KeyboardEvent } from "react";
import type { Model } from "../../api/client.ts";
import { Form } from "../../components/form/form.tsx";
import type { Draft } from "./draft.ts";
import { Fields } from "./fields.tsx";
import { fitToModel } from "./form-values.ts";
import { ModelSelect } from "./model-select.tsx";
import { SubmitRow } from "./submit-row.tsx";
import type { Submit } from "./use-submit.ts";

type Props = {
  models: readonly Model[];
  draft: Draft;
  submit: Submit;
  onSubmit: () => void;
};

export function RequestForm({ models, draft, submit, onSubmit }: Props) {
  const { model } = draft;
  const values = fitToModel(draft.values, model);
  const kept = draft.values.imageUrls.slice(model.max_reference_images);
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={submitOnCtrlEnter}
    >
      <Stack>
        <ModelSelect models={models} value={model.id} onChange={draft.chooseModel} />
        <Fields
          model={model}
          values={values}
          onChange={({ imageUrls, ...others }) =>
            draft.change({
              ...others,
              // What this model does not take stays for one that does.
              ...(imageUrls && { imageUrls: [...imageUrls, ...kept] }),
            })
          }
        />
        <SubmitRow model={model} values={values} submit={submit} />
      </Stack>
    </Form>
  );
}

function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
