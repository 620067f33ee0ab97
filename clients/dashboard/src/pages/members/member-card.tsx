/** The members and their roles; owners can change roles and remove members. */
import { ActionIcon, Badge, Card, NativeSelect, Table, Text, VisuallyHidden } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserMinus } from "lucide-react";
import { useState } from "react";
import { api, unwrap } from "../../api/client.ts";
import type { Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { Failure } from "../../components/failure.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { useScope } from "../../session/scope.ts";
import { RemoveMember } from "./remove-member.tsx";

type Member = Schemas["Member"];

export function MemberCard() {
  const { account, user, params } = useScope();
  const client = useQueryClient();
  const isOwner = account.role === "owner";
  const [removing, setRemoving] = useState<Member>();
  const members = useQuery({
    queryKey: queryKeys.members(account.id),
    queryFn: () =>
      unwrap(api.GET("/accounts/{account_id}/members", { params: { path: params.path } })),
    select: ({ data }) => data,
  });
  const change = useMutation({
    mutationFn: ({ user_id, role }: Pick<Member, "user_id" | "role">) =>
      unwrap(
        api.PATCH("/accounts/{account_id}/members/{user_id}", {
          params: { path: { ...params.path, user_id } },
          body: { role },
        }),
      ),
    onSettled: () => client.invalidateQueries(),
  });
  return (
    <Card padding="md">
      {change.error && <Failure error={change.error} />}
      <QueryResult query={members}>
        {(all) => (
          <Table aria-label="Members">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th w={140}>Role</Table.Th>
                <Table.Th visibleFrom="sm">Joined</Table.Th>
                {isOwner && (
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
                    {isOwner ? (
                      <NativeSelect
                        size="xs"
                        aria-label={`Role of ${member.name}`}
                        data={["owner", "member"]}
                        value={member.role}
                        disabled={change.isPending}
                        onChange={({ currentTarget: { value } }) =>
                          change.mutate({ ...member, role: value as Member["role"] })
                        }
                      />
                    ) : (
                      <Badge color="gray">{member.role}</Badge>
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">
                    <RelativeTime time={member.joined_at} />
                  </Table.Td>
                  {isOwner && (
                    <Table.Td>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={`Remove ${member.name}`}
                        onClick={() => setRemoving(member)}
                      >
                        <UserMinus size={16} aria-hidden />
                      </ActionIcon>
                    </Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </QueryResult>
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(undefined)} />}
    </Card>
  );
}
