/** Takes a person out of the account, or oneself, after asking. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "react-router";
import { answered, api } from "../../api/client.ts";
import type { Schemas } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { keys } from "../../data/keys.ts";
import { Confirm } from "../../components/confirm.tsx";
import { usePlace } from "../../session/scope.ts";

type Props = { member: Pick<Schemas["Member"], "user_id" | "name">; onClose: () => void };

export function RemoveMember({ member, onClose }: Props) {
  const { account, user, params } = usePlace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const isMe = member.user_id === user.id;
  const path = { ...params.path, user_id: member.user_id };
  const remove = useMutation({
    mutationFn: () =>
      answered(api.DELETE("/accounts/{account_id}/members/{user_id}", { params: { path } })),
    onSuccess: async () => {
      onClose();
      if (isMe) await navigate("/");
      await client.invalidateQueries({ queryKey: isMe ? SESSION : keys.members(account.id) });
    },
  });
  return (
    <Confirm
      isOpen
      title={isMe ? `Leave ${account.name}?` : `Remove ${member.name}?`}
      action={isMe ? "Leave" : "Remove"}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {isMe ? "You lose" : "They lose"} access to this account at once. Its API keys go on working:
      revoke the ones that should not.
    </Confirm>
  );
}
