/** The sign-up page, for services where anyone may sign up. */
import { Anchor, Text } from "@mantine/core";
import { Link, Navigate } from "react-router";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useSession } from "../../session/session.ts";
import { OidcButton } from "./oidc-button.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

export default function SignUp() {
  const session = useSession();
  if (session.data?.user) return <Navigate to="/" replace />;
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
          <SignUpForm />
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
