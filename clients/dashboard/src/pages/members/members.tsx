/** Settings, Members: the account's members and their roles, and its invitations for owners. */
import { ActionIcon, Badge, Card, Checkbox, NativeSelect, Stack, Text } from "@mantine/core";
import { UserMinus } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { FormDialog } from "../../components/dialog.tsx";
import { OwnPassword, passwordIn } from "../../components/form/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Note } from "../../components/texts.tsx";
import { useAnswer } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { Invitations, type Role, ROLE_MEANINGS, ROLES } from "./invitations.tsx";

type Member = Schemas["Member"];
type MemberProps = { member: Member; onClose: () => void };

export default function Members() {
  const { user, may } = useScope();
  const [removing, setRemoving] = useState<Member>();
  const [changing, setChanging] = useState<{ member: Member; role: Role }>();
  const members = useAnswer("listMembers", {});
  return (
    <>
      <PageHead title="Members">
        Viewers read all but secrets and the audit log. Billing reads money and sets limits and
        alerts. Developers also generate and manage API keys and webhook URLs. Owners do everything.
      </PageHead>
      <Stack gap="lg">
        <Card padding="md">
          <DataTable
            label="Members"
            query={members}
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
                    <Note>{email}</Note>
                  </>
                ),
              },
              {
                head: "Role",
                width: 140,
                from: 500,
                below: true,
                cell: (member) =>
                  may("updateMember") ? (
                    <NativeSelect
                      size="xs"
                      aria-label={`Role of ${member.name}`}
                      data={ROLES}
                      value={member.role}
                      onChange={({ currentTarget: { value } }) =>
                        setChanging({ member, role: value as Role })
                      }
                    />
                  ) : (
                    <Badge color="gray">{member.role}</Badge>
                  ),
              },
              { head: "Joined", time: ({ joined_at: at }) => at, from: 500 },
              may("removeMember") && {
                width: 48,
                actions: (member) =>
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
        </Card>
        {/* Below the members, whose number is not known before. */}
        {may("listInvitations") && !members.isPending && <Invitations />}
      </Stack>
      {changing && <ChangeRole {...changing} onClose={() => setChanging(undefined)} />}
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

function RemoveMember({ member, onClose }: MemberProps) {
  const keys = useAnswer("listKeys", {}).data?.data ?? [];
  const { length: count } = keys.filter(
    ({ created_by: creator, revoked_at: revokedAt }) =>
      creator.user_id === member.user_id && revokedAt === undefined,
  );
  return (
    <FormDialog
      title={`Remove ${member.name}?`}
      text="They lose access to this account at once, and the invitations that they made are withdrawn."
      action="Remove"
      isDangerous
      run={(call, form) =>
        call("removeMember", {
          user_id: member.user_id,
          keys: form.has("revoke") ? "revoke" : "keep",
        })
      }
      onClose={onClose}
    >
      {count > 0 && (
        <Checkbox name="revoke" label={`Also revoke the API keys that they created (${count})`} />
      )}
    </FormDialog>
  );
}

function ChangeRole({ member, role, onClose }: MemberProps & { role: Role }) {
  const { user } = useScope();
  const isSelf = member.user_id === user.id;
  return (
    <FormDialog
      title={`Change ${isSelf ? "your own" : `${member.name}'s`} role to ${role}?`}
      text={`From ${member.role} to ${role}: ${ROLE_MEANINGS[role]}. It takes effect at once.${
        isSelf ? " Only another owner can give the role back to you." : ""
      }`}
      action="Change role"
      isDangerous
      run={(call, form) =>
        call("updateMember", {
          user_id: member.user_id,
          body: { role, current_password: passwordIn(form).password },
        })
      }
      onClose={onClose}
    >
      {role === "owner" && <OwnPassword />}
    </FormDialog>
  );
}
