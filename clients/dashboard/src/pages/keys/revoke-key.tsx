/** Ends a key for good, after asking. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import { keys } from "../../data/keys.ts";
import { Confirm } from "../../components/confirm.tsx";
import { usePlace } from "../../session/scope.ts";
import type { ApiKey } from "./key-table.tsx";

export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { account, params } = usePlace();
  const client = useQueryClient();
  const path = { ...params.path, key_id: apiKey.id };
  const revoke = useMutation({
    mutationFn: () =>
      answered(api.DELETE("/accounts/{account_id}/keys/{key_id}", { params: { path } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.apiKeys(account.id) });
      onClose();
    },
  });
  return (
    <Confirm
      isOpen
      title={`Revoke ${apiKey.name}?`}
      action="Revoke"
      isPending={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      Requests with{" "}
      <span className="mono">
        {apiKey.prefix}…{apiKey.last_four}
      </span>{" "}
      are refused within a second. This cannot be undone.
    </Confirm>
  );
}
