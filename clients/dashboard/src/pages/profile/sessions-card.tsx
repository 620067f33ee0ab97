/** The user's sessions, with a button to end each of them. */
import { Badge, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { BusyButton } from "../../components/form/form.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { DataTable, endingColumn } from "../../components/data-table.tsx";
import { Failure, QueryResult } from "../../components/states.tsx";
import { day } from "../../components/value-format.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { browserName } from "./browser-name.ts";

export function SessionsCard() {
  const client = useQueryClient();
  const refresh = () => refetch(client, queryKeys.sessions);
  const sessions = useQuery({
    queryKey: queryKeys.sessions,
    queryFn: () => unwrap(api.GET("/auth/sessions")),
    // Who looks here may fear that somebody has just signed in.
    staleTime: 0,
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
              <DataTable
                label="Sessions"
                rows={open}
                columns={[
                  { head: "Browser", cell: (session) => <Browser {...session} /> },
                  { head: "Signed in", cell: ({ created_at }) => day(created_at) },
                  { head: "Ends", cell: ({ expires_at }) => day(expires_at), from: 400 },
                  endingColumn<Schemas["UserSession"]>({
                    action: "Sign out",
                    stays: ({ is_current }) => is_current,
                    end,
                  }),
                ]}
                keyOf={({ id }) => id}
              />
              {open.length > 1 && (
                <BusyButton
                  variant="default"
                  w="fit-content"
                  isBusy={endOthers.isPending}
                  onClick={() => endOthers.mutate()}
                >
                  Sign out everywhere else
                </BusyButton>
              )}
            </>
          )}
        </QueryResult>
      </Stack>
    </Card>
  );
}

function Browser({ user_agent, is_current }: Schemas["UserSession"]) {
  return (
    <Group gap="xs">
      <Text size="sm">{browserName(user_agent)}</Text>
      {is_current && <Badge color="teal">this one</Badge>}
    </Group>
  );
}
