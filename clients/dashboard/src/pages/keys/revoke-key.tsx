/** The dialog that revokes a key. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap, type ApiKey } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { refetch } from "../../data/refetch.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { dateTime } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const path = { ...params.path, key_id: apiKey.id };
  const revoke = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE("/accounts/{account_id}/keys/{key_id}", { params: { path } })),
    onSuccess: async () => {
      await refetch(client, queryKeys.apiKeys(account.id));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Revoke ${apiKey.name} (…${apiKey.last_four})?`}
      action="Revoke"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Requests with{" "}
      <span className="mono">
        {apiKey.prefix}…{apiKey.last_four}
      </span>
      , created {dateTime(apiKey.created_at)}, are refused within a second. This cannot be undone.
    </ConfirmDialog>
  );
}
