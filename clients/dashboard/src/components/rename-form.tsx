/** The form that gives an account or a user another name. */
import { Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { BusyButton, FieldRow, Form, NameInput } from "./form/form.tsx";
import { Failure } from "./states.tsx";

type Props = {
  label: string;
  /** The name until now. */
  current: string;
  save: (name: string) => Promise<unknown>;
  /** The button waits for it too. */
  onSaved: () => Promise<unknown>;
  maw?: number;
};

export function RenameForm({ label, current, save, onSaved, maw }: Props) {
  const [entered, setEntered] = useState<string>();
  const name = entered ?? current;
  const rename = useMutation({
    mutationFn: () => save(name.trim()),
    onSuccess: async () => {
      await onSaved();
      setEntered(undefined);
    },
  });
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        rename.mutate();
      }}
    >
      <Stack gap="sm" maw={maw}>
        {rename.error && <Failure error={rename.error} />}
        <FieldRow>
          <NameInput label={label} value={name} onChange={setEntered} flex="1 1 240px" />
          <BusyButton
            type="submit"
            variant="default"
            isBusy={rename.isPending}
            disabled={name.trim() === current}
          >
            Rename
          </BusyButton>
        </FieldRow>
      </Stack>
    </Form>
  );
}
