/** The dialog that removes a member from the account, with their invitations and, if wanted, their API keys. */
import { Checkbox } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { queryKeys } from "../../data/query-keys.ts";
import { useScope } from "../../data/scope.ts";

type Props = { member: Schemas["Member"]; onClose: () => void };

export function RemoveMember({ member, onClose }: Props) {
  const { account, params } = useScope();
  const client = useQueryClient();
  const [isRevoking, setRevoking] = useState(false);
  const keys = useQuery({
    queryKey: queryKeys.apiKeys(account.id),
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/keys", { params: { path: params.path } })),
    select: ({ data }) =>
      data.filter(
        ({ created_by: creator, revoked_at: revokedAt }) =>
          creator.user_id === member.user_id && revokedAt === undefined,
      ).length,
  });
  const remove = useMutation({
    mutationFn: () =>
      unwrap(
        api.DELETE("/accounts/{account_id}/members/{user_id}", {
          params: {
            path: { ...params.path, user_id: member.user_id },
            query: { keys: isRevoking ? "revoke" : "keep" },
          },
        }),
      ),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries({ queryKey: [account.id] });
    },
  });
  const count = keys.data ?? 0;
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${member.name}?`}
      action="Remove"
      isPending={remove.isPending}
      error={remove.error ?? keys.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      They lose access to this account at once, and the invitations that they made are withdrawn.
      {count > 0 && (
        <Checkbox
          mt="sm"
          label={`Also revoke the API keys that they created (${count})`}
          checked={isRevoking}
          onChange={({ currentTarget }) => setRevoking(currentTarget.checked)}
        />
      )}
    </ConfirmDialog>
  );
}
