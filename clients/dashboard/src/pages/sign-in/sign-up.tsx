/** The sign-up page, for services where anyone may sign up. */
import { Anchor, Text } from "@mantine/core";
import { Link, Navigate } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import { PageLoading } from "../../components/states.tsx";
import { MailForm } from "../../components/mail-form.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";
import { useSession } from "../../session/session.ts";
import { OidcButton } from "./oidc-button.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

export default function SignUp() {
  const session = useSession();
  const link = useLinkFragment();
  const [proof, email] = [link.get("token"), link.get("email")];
  if (session.data?.user) return <Navigate to="/" replace />;
  // Which form it is depends on the session; one that is replaced loses what was typed.
  if (session.isPending) return <PageLoading />;
  const isClosed = session.data?.sign_up === "invitation";
  return (
    <EntryCard title="Create an account">
      {isClosed ? (
        <Text size="sm">Sign-up is by invitation only: open the link in your invitation.</Text>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            Test access starts at once, with a million test Tokens.
          </Text>
          {proof !== null && email !== null ? (
            <SignUpForm known={{ email, proof }} />
          ) : session.data?.verifies_email ? (
            <MailForm
              button="Send a link to sign up"
              done="A mail is on its way. Open its link to go on; it works for an hour."
              send={(address) =>
                unwrap(api.POST("/auth/sign-up/mail", { body: { email: address } }))
              }
            />
          ) : (
            <SignUpForm />
          )}
          <OidcButton name={session.data?.oidc_name} />
        </>
      )}
      <Text size="sm" ta="center" c="dimmed">
        Already have a login?{" "}
        <Anchor component={Link} to="/sign-in" underline="always">
          Sign in
        </Anchor>
      </Text>
    </EntryCard>
  );
}
