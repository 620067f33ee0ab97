/** The dialog that changes a member's role. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { CurrentPassword, passwordIn } from "../../components/current-password.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { useScope } from "../../data/scope.ts";
import { useMembers } from "./use-members.ts";
import { meaningOf, type Role } from "./roles.ts";

export type RoleChange = { member: Schemas["Member"]; role: Role };

export function ChangeRole({ member, role, onClose }: RoleChange & { onClose: () => void }) {
  const { user, params } = useScope();
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const path = { ...params.path, user_id: member.user_id };
  const change = useMutation({
    mutationFn: () =>
      unwrap(
        api.PATCH("/accounts/{account_id}/members/{user_id}", {
          params: { path },
          body: {
            role,
            current_password: passwordIn(new FormData(form.current ?? undefined)).password,
          },
        }),
      ),
    onSuccess: async () => {
      onClose();
      await client.invalidateQueries();
    },
  });
  const owners = useMembers().data?.filter((one) => one.role === "owner").length;
  const isLastOwner = member.role === "owner" && role !== "owner" && owners === 1;
  const isSelf = member.user_id === user.id;
  return (
    <ConfirmDialog
      isOpen
      title={
        isSelf ? `Change your own role to ${role}?` : `Change ${member.name}'s role to ${role}?`
      }
      action="Change role"
      isPending={change.isPending}
      isImpossible={isLastOwner}
      error={change.error}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      {isLastOwner ? (
        "An account always has an owner. Make another member an owner first."
      ) : (
        <>
          From {member.role} to {role}: {meaningOf(role)}. It takes effect at once.
          {role === "owner" && (
            <form ref={form} onSubmit={(event) => event.preventDefault()}>
              <CurrentPassword label="Your password" />
            </form>
          )}
          {isSelf && role !== "owner" && " Only another owner can give the role back to you."}
        </>
      )}
    </ConfirmDialog>
  );
}
