/** The members and their roles; owners can change roles and remove members. */
import { ActionIcon, Badge, Card, NativeSelect, Table, Text, VisuallyHidden } from "@mantine/core";
import { UserMinus } from "lucide-react";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
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
          <Table aria-label="Members">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th w={140}>Role</Table.Th>
                <Table.Th visibleFrom="sm">Joined</Table.Th>
                {may("removeMember") && (
                  <Table.Th w={48}>
                    <VisuallyHidden>Actions</VisuallyHidden>
                  </Table.Th>
                )}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {all.map((member) => (
                <Table.Tr key={member.user_id}>
                  <Table.Td>
                    <Text size="sm" fw={550}>
                      {member.name}
                      {member.user_id === user.id && " (you)"}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {member.email}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    {may("updateMember") ? (
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
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    <RelativeTime time={member.joined_at} />
                  </Table.Td>
                  {may("removeMember") && (
                    <Table.Td>
                      {member.user_id !== user.id && (
                        <ActionIcon
                          variant="subtle"
                          color="gray"
                          aria-label={`Remove ${member.name}`}
                          onClick={() => setRemoving(member)}
                        >
                          <UserMinus size={16} aria-hidden />
                        </ActionIcon>
                      )}
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </QueryResult>
      {changing && <ChangeRole {...changing} onClose={() => setChanging(undefined)} />}
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />}
    </Card>
  );
}
