/** The members and their roles; owners can change roles and remove members. */
import { ActionIcon, Badge, Card, Checkbox, NativeSelect, Text } from "@mantine/core";
import { UserMinus } from "lucide-react";
import { useRef, useState } from "react";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { QueryResult } from "../../components/states.tsx";
import { RelativeTime } from "../../components/texts.tsx";
import { useScope } from "../../data/scope.ts";
import { isRole, meaningOf, type Role, ROLE_CHOICES } from "./roles.ts";
import { useMembers } from "./use-members.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { queryKeys } from "../../data/queries.ts";
import { CurrentPassword, passwordIn } from "../../components/form/form.tsx";

type Member = Schemas["Member"];

export function MemberCard() {
  const { user, may } = useScope();
  const [removing, setRemoving] = useState<Member>();
  const [changing, setChanging] = useState<RoleChange>();
  const members = useMembers();
  return (
    <Card padding="md">
      <QueryResult query={members}>
        {(all) => (
          <DataTable
            label="Members"
            rows={all}
            keyOf={({ user_id: id }) => id}
            columns={[
              {
                head: "Name",
                cell: ({ user_id: id, name, email }) => (
                  <>
                    <Text size="sm" fw={550}>
                      {name}
                      {id === user.id && " (you)"}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {email}
                    </Text>
                  </>
                ),
              },
              {
                head: "Role",
                width: 140,
                cell: (member) =>
                  may("updateMember") ? (
                    <NativeSelect
                      size="xs"
                      aria-label={`Role of ${member.name}`}
                      data={ROLE_CHOICES}
                      value={member.role}
                      onChange={({ currentTarget: { value: role } }) =>
                        isRole(role) && setChanging({ member, role })
                      }
                    />
                  ) : (
                    <Badge color="gray">{member.role}</Badge>
                  ),
              },
              {
                head: "Joined",
                width: 120,
                from: 620,
                cell: ({ joined_at: at }) => <RelativeTime time={at} />,
              },
              may("removeMember") && {
                head: "Actions",
                isHeadHidden: true,
                width: 48,
                cell: (member) =>
                  member.user_id !== user.id && (
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Remove ${member.name}`}
                      onClick={() => setRemoving(member)}
                    >
                      <UserMinus size={16} aria-hidden />
                    </ActionIcon>
                  ),
              },
            ]}
          />
        )}
      </QueryResult>
      {changing && <ChangeRole {...changing} onClose={() => setChanging(undefined)} />}
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />}
    </Card>
  );
}

type Props = { member: Schemas["Member"]; onClose: () => void };

function RemoveMember({ member, onClose }: Props) {
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

type RoleChange = { member: Schemas["Member"]; role: Role };

function ChangeRole({ member, role, onClose }: RoleChange & { onClose: () => void }) {
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
