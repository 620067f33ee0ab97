/** The dialog that removes a member from the account, or the user themselves. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import type { Schemas } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useScope } from "../../session/scope.ts";

type Props = { member: Pick<Schemas["Member"], "user_id" | "name">; onClose: () => void };

export function RemoveMember({ member, onClose }: Props) {
  const { account, user, params } = useScope();
  const client = useQueryClient();
  const navigate = useNavigate();
  const isSelf = member.user_id === user.id;
  const remove = useMutation({
    mutationFn: () => {
      const { path } = params;
      if (isSelf)
        return unwrap(api.DELETE("/accounts/{account_id}/membership", { params: { path } }));
      const ofMember = { path: { ...path, user_id: member.user_id } };
      return unwrap(api.DELETE("/accounts/{account_id}/members/{user_id}", { params: ofMember }));
    },
    onSuccess: async () => {
      onClose();
      if (isSelf) await navigate("/");
      await client.invalidateQueries({
        queryKey: isSelf ? SESSION : queryKeys.members(account.id),
      });
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={isSelf ? `Leave ${account.name}?` : `Remove ${member.name}?`}
      action={isSelf ? "Leave" : "Remove"}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {isSelf ? "You lose" : "They lose"} access to this account at once. Its API keys keep working:
      revoke those that should not.
    </ConfirmDialog>
  );
}
