/** The user's sessions, with a button to end each of them. */
import {
  Badge,
  Button,
  Card,
  Group,
  Stack,
  Table,
  Text,
  Title,
  VisuallyHidden,
} from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { Failure } from "../../components/failure.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { day } from "../../components/value-format.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { browserName } from "./browser-name.ts";

export function SessionsCard() {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: queryKeys.sessions });
  const sessions = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: () => unwrap(api.GET("/auth/sessions")),
    select: ({ data }) => data,
  });
  const end = useMutation({
    mutationFn: (session_id: string) =>
      unwrap(api.DELETE("/auth/sessions/{session_id}", { params: { path: { session_id } } })),
    onSettled: refresh,
  });
  const endOthers = useMutation({
    mutationFn: () => unwrap(api.POST("/auth/sessions/end-others")),
    onSettled: refresh,
  });
  const failure = end.error ?? endOthers.error;
  return (
    <Card component="section" aria-labelledby="sessions">
      <Title order={2} id="sessions" fz={16} mb="sm">
        Where you are signed in
      </Title>
      <Stack>
        {failure && <Failure error={failure} />}
        <QueryResult query={sessions}>
          {(open) => (
            <>
              <Table aria-label="Sessions">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Browser</Table.Th>
                    <Table.Th>Signed in</Table.Th>
                    <Table.Th visibleFrom="sm">Ends</Table.Th>
                    <Table.Th w={110}>
                      <VisuallyHidden>Actions</VisuallyHidden>
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {open.map((session) => (
                    <Table.Tr key={session.id}>
                      <Table.Td>
                        <Group gap="xs">
                          <Text size="sm">{browserName(session.user_agent)}</Text>
                          {session.is_current && <Badge color="teal">this one</Badge>}
                        </Group>
                      </Table.Td>
                      <Table.Td>{day(session.created_at)}</Table.Td>
                      <Table.Td visibleFrom="sm">{day(session.expires_at)}</Table.Td>
                      <Table.Td>
                        {!session.is_current && (
                          <Button
                            size="xs"
                            variant="default"
                            loading={end.isPending && end.variables === session.id}
                            onClick={() => end.mutate(session.id)}
                          >
                            Sign out
                          </Button>
                        )}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
              {open.length > 1 && (
                <Button
                  variant="default"
                  w="fit-content"
                  loading={endOthers.isPending}
                  onClick={() => endOthers.mutate()}
                >
                  Sign out everywhere else
                </Button>
              )}
            </>
          )}
        </QueryResult>
      </Stack>
    </Card>
  );
}
