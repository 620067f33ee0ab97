/** The members and their roles; owners can change roles and remove members. */
import { ActionIcon, Badge, Card, NativeSelect, Text } from "@mantine/core";
import { UserMinus } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { DataTable } from "../../components/data-table.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useScope } from "../../data/scope.ts";
import { ChangeRole, type RoleChange } from "./change-role.tsx";
import { RemoveMember } from "./remove-member.tsx";
import { isRole, ROLE_CHOICES } from "./roles.ts";
import { useMembers } from "./use-members.ts";

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
