/** The page of an invitation: the invited user joins at once when signed in; others sign up, sign in or sign out first. */
import { Anchor, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "react-router";
import { BusyButton } from "../../components/form/form.tsx";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { EntryCard } from "../../layout/entry-card.tsx";
import { Failure, QueryResult } from "../../components/states.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";
import { useSession, useSignOut } from "../../session/session.ts";
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
            {!user && <SignUpOrIn token={token} email={email} />}
            {user &&
              (user.email.toLowerCase() === email ? (
                <Join token={token} email={user.email} />
              ) : (
                <OtherUser token={token} email={user.email} />
              ))}
          </>
        )}
      </QueryResult>
    </EntryCard>
  );
}

type Props = { token: string; email: string };

function SignUpOrIn({ token, email }: Props) {
  return (
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
  );
}

/** Signed in with another address than the invited one. */
function OtherUser({ token, email }: Props) {
  const signOut = useSignOut(() => {
    const { pathname } = globalThis.location;
    // Without an event, which would take the token out of the URL before the page is loaded again.
    globalThis.history.replaceState(null, "", `${pathname}#${new URLSearchParams({ token })}`);
    globalThis.location.reload();
  });
  return (
    <Stack>
      <Text size="sm">
        You are signed in as {email}. Sign out to sign up or in with the invited address; this
        invitation stays open.
      </Text>
      {signOut.error && <Failure error={signOut.error} />}
      <BusyButton size="md" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out and come back here
      </BusyButton>
    </Stack>
  );
}

function Join({ token, email }: Props) {
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
      <BusyButton size="md" isBusy={join.isPending} onClick={() => join.mutate()}>
        Join as {email}
      </BusyButton>
    </Stack>
  );
}
