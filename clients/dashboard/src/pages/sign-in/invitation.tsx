/** The page of an invitation: the invited user joins at once when signed in; others sign up, sign in or sign out first. */
import { Text } from "@mantine/core";
import { useNavigate } from "react-router";
import { ActionForm } from "../../components/action-form.tsx";
import { Failure, QueryResult } from "../../components/states.tsx";
import { TextLink, Words } from "../../components/texts.tsx";
import { useAnswer } from "../../data/queries.ts";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";
import { useSession, useSignOut } from "../../session/session.ts";
import { SignUpForm } from "./sign-up.tsx";

export default function Invitation() {
  const token = useLinkFragment().get("token") ?? "";
  const user = useSession().data?.user;
  const invitation = useAnswer(
    "retrieveInvitation",
    { body: { token } },
    // Once it is accepted there is none.
    { staleTime: "static" },
  );
  return (
    <EntryCard title={invitation.error ? "Invitation" : "You are invited"}>
      <QueryResult
        query={invitation}
        missing={invitation.error && <Failure error={invitation.error} />}
      >
        {({ account_name: account, email, role }) => (
          <>
            <Text size="sm">
              Join <b>{account}</b> with the role {role}. The invitation is for{" "}
              <Words text={email} />.
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
        <TextLink to={`/sign-in?to=/invitations#${new URLSearchParams({ token })}`}>
          Sign in and join
        </TextLink>
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
    <ActionForm isEntry action="Sign out and come back here" run={() => signOut.mutateAsync()}>
      <Text size="sm">
        You are signed in as <Words text={email} />. Sign out to sign up or in with the invited
        address; this invitation stays open.
      </Text>
    </ActionForm>
  );
}

function Join({ token, email }: Props) {
  const navigate = useNavigate();
  return (
    <ActionForm
      isEntry
      action={`Join as ${email}`}
      run={(call) => call("acceptInvitation", { body: { token } })}
      onDone={({ id }) => navigate(`/${id}/test/overview`)}
    />
  );
}
