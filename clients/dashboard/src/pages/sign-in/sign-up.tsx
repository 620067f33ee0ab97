/** Signing up where that is open to anyone. */
import { Anchor, Text } from "@mantine/core";
import { Link, Navigate } from "react-router";
import { DoorCard } from "../../layout/door-card.tsx";
import { useSession } from "../../session/session.ts";
import { OidcButton } from "./oidc-button.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

export default function SignUp() {
  const session = useSession();
  if (session.data?.user) return <Navigate to="/" replace />;
  const isClosed = session.data?.sign_up === "invitation";
  return (
    <DoorCard title="Make an account">
      {isClosed ? (
        <Text size="sm">Sign-up is by invitation: open the link that you were given.</Text>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            Test access begins at once, with a million test Tokens.
          </Text>
          <SignUpForm />
          <OidcButton name={session.data?.oidc_name} />
        </>
      )}
      <Text size="sm" ta="center" c="dimmed">
        Signed up already?{" "}
        <Anchor component={Link} to="/sign-in" underline="always">
          Sign in
        </Anchor>
      </Text>
    </DoorCard>
  );
}
