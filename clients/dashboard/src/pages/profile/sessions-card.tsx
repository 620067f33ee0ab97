/** The user's sessions, with a button to end each of them. */
import { Badge, Group, Stack, Text } from "@mantine/core";
import { ActionForm } from "../../components/action-form.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { Section } from "../../components/page-head.tsx";
import { useAnswer } from "../../data/queries.ts";
import { day } from "../../data/value-format.ts";
import { browserName } from "./browser-name.ts";

export function SessionsCard() {
  // Who looks here may fear that somebody has just signed in.
  const sessions = useAnswer("listSessions", {}, { staleTime: 0 });
  return (
    <Section title="Where you are signed in">
      <Stack>
        <DataTable
          label="Sessions"
          query={sessions}
          columns={[
            {
              head: "Browser",
              cell: ({ user_agent: agent, is_current: isCurrent }) => (
                <Group gap="xs">
                  <Text size="sm">{browserName(agent)}</Text>
                  {isCurrent && <Badge color="teal">this one</Badge>}
                </Group>
              ),
            },
            {
              head: "Signed in",
              cell: ({ created_at: at }) => day(at),
              from: 500,
              below: (one) => `signed in ${day(one.created_at)}, ends ${day(one.expires_at)}`,
            },
            { head: "Ends", cell: ({ expires_at: at }) => day(at), from: 500 },
          ]}
          ending={{
            action: "Sign out",
            actionOn: ({ user_agent: agent }) => `Sign out ${browserName(agent)}`,
            stays: ({ is_current: isCurrent }) => isCurrent,
            run: (call, { id }) => call("endSession", { session_id: id }),
          }}
        />
        {sessions.data && sessions.data.data.length > 1 && (
          <ActionForm
            action="Sign out everywhere else"
            run={(call) => call("endOtherSessions", {})}
          />
        )}
      </Stack>
    </Section>
  );
}
