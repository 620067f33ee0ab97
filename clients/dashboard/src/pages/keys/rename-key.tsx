/** Gives a key another name. */
import { Button, Group, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { keys } from "../../data/keys.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { NameInput } from "../../components/name-input.tsx";
import { usePlace } from "../../session/scope.ts";
import type { ApiKey } from "./key-table.tsx";

export function RenameKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = usePlace();
  const client = useQueryClient();
  const [name, setName] = useState(apiKey.name);
  const path = { ...params.path, key_id: apiKey.id };
  const rename = useMutation({
    mutationFn: () =>
      answered(
        api.PATCH("/accounts/{account_id}/keys/{key_id}", {
          params: { path },
          body: { name: name.trim() },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.apiKeys(account.id) });
      onClose();
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title="Rename the key">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate();
        }}
      >
        <Stack>
          <NameInput label="Name" value={name} onChange={setName} data-autofocus />
          {rename.error && <Failure error={rename.error} />}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
