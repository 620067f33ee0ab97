/** The dialog that renames a key. */
import { Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap, type ApiKey } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/states.tsx";
import {
  DialogButtons,
  Form,
  NameInput,
  onSubmit as submitting,
} from "../../components/form/form.tsx";
import { useScope } from "../../data/scope.ts";

export function RenameKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const [name, setName] = useState(apiKey.name);
  const path = { ...params.path, key_id: apiKey.id };
  const rename = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH("/accounts/{account_id}/keys/{key_id}", {
          params: { path },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: async () => {
      await refetch(client, queryKeys.apiKeys(account.id));
      onClose();
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title="Rename the key">
      <Form onSubmit={submitting(() => rename.mutate())}>
        <Stack>
          <NameInput
            label="Name"
            value={name}
            onChange={setName}
            onFocus={({ currentTarget }) => currentTarget.select()}
            data-autofocus
          />
          {rename.error && <Failure error={rename.error} />}
          <DialogButtons action="Rename" isPending={rename.isPending} onCancel={onClose} />
        </Stack>
      </Form>
    </Dialog>
  );
}
