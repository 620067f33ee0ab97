/** The dialog that sets what an API key may do. */
import { Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap, type ApiKey } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { refetch } from "../../data/refetch.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { onSubmit as submitting } from "../../components/form-data.ts";
import { DialogButtons } from "../../components/form/dialog-buttons.tsx";
import { Form } from "../../components/form/form.tsx";
import { useScope } from "../../data/scope.ts";
import { PermissionFields } from "./permission-fields.tsx";

export function KeyPermissions({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const [permissions, setPermissions] = useState(apiKey.permissions);
  const path = { ...params.path, key_id: apiKey.id };
  const save = useMutation({
    mutationFn: () =>
      unwrap(
        api.PUT("/accounts/{account_id}/keys/{key_id}/permissions", {
          params: { path },
          body: permissions,
        }),
      ),
    onSuccess: async () => {
      await refetch(client, queryKeys.apiKeys(account.id));
      onClose();
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title={`Permissions of ${apiKey.name}`}>
      <Form onSubmit={submitting(() => save.mutate())}>
        <Stack>
          <Text size="sm">Requests for anything else are refused within a second.</Text>
          <PermissionFields value={permissions} onChange={setPermissions} />
          {save.error && <Failure error={save.error} />}
          <DialogButtons action="Save permissions" isPending={save.isPending} onCancel={onClose} />
        </Stack>
      </Form>
    </Dialog>
  );
}
