/** The page of an invitation: users who are signed in join at once, others sign up or sign in first. */
import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { EntryCard } from "../../layout/entry-card.tsx";
import { Failure } from "../../components/failure.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";
import { useSession } from "../../session/session.ts";
import { SignUpForm } from "./sign-up-form.tsx";

export default function Invitation() {
  const token = useLinkFragment().get("token") ?? "";
  const session = useSession();
  const user = session.data?.user;
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => unwrap(api.POST("/invitations/retrieve", { body: { token } })),
  });
  return (
    <EntryCard title={invitation.error ? "Invitation" : "You are invited"}>
      <QueryResult
        query={invitation}
        missing={invitation.error && <Failure error={invitation.error} />}
      >
        {({ account_name: account, email, role }) => (
          <>
            <Text size="sm">
              Join <b>{account}</b> with the role {role}. The invitation is for {email}.
            </Text>
            {user ? (
              <Join token={token} email={user.email} />
            ) : (
              <>
                <SignUpForm known={{ email, invitation: token }} />
                <Text size="sm" ta="center" c="dimmed">
                  Already have a login?{" "}
                  <Anchor
                    component={Link}
                    to={`/sign-in?to=/invitations#${new URLSearchParams({ token })}`}
                    underline="always"
                  >
                    Sign in and join
                  </Anchor>
                </Text>
              </>
            )}
          </>
        )}
      </QueryResult>
    </EntryCard>
  );
}

function Join({ token, email }: { token: string; email: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const join = useMutation({
    mutationFn: () => unwrap(api.POST("/invitations/accept", { body: { token } })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: SESSION });
      await navigate(`/${id}/test/overview`);
    },
  });
  return (
    <Stack>
      {join.error && <Failure error={join.error} />}
      <Button size="md" loading={join.isPending} onClick={() => join.mutate()}>
        Join as {email}
      </Button>
    </Stack>
  );
}
