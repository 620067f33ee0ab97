/** The sign-up page, for services where anyone may sign up. */
import { Text } from "@mantine/core";
import { Navigate } from "react-router";
import { ActionForm } from "../../components/action-form.tsx";
import { EmailInput, field } from "../../components/form/form.tsx";
import { PageLoading } from "../../components/states.tsx";
import { TextLink } from "../../components/texts.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";
import { useSession } from "../../session/session.ts";
import { OidcButton } from "./oidc.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

export default function SignUp() {
  const session = useSession();
  if (session.data?.user) return <Navigate to="/" replace />;
  // Which form it is depends on the session; one that is replaced loses what was typed.
  if (session.isPending) return <PageLoading />;
  return (
    <EntryCard
      title="Create an account"
      foot={
        <>
          Already have a login? <TextLink to="/sign-in">Sign in</TextLink>
        </>
      }
    >
      {session.data?.sign_up === "invitation" ? (
        <Text size="sm">Sign-up is by invitation only: open the link in your invitation.</Text>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            Test access starts at once, with a million test Tokens.
          </Text>
          <OpenSignUp />
          <OidcButton />
        </>
      )}
    </EntryCard>
  );
}

/** Where mail is sent, a mailed link comes first. */
function OpenSignUp() {
  const session = useSession();
  const link = useLinkFragment();
  const [proof, email] = [link.get("token"), link.get("email")];
  if (proof !== null && email !== null) return <SignUpForm known={{ email, proof }} />;
  if (!session.data?.verifies_email) return <SignUpForm />;
  return (
    <ActionForm
      isEntry
      action="Send a link to sign up"
      instead="A mail is on its way. Open its link to go on; it works for an hour."
      run={(call, form) => call("requestSignUp", { body: { email: field(form, "email") } })}
    >
      <EmailInput autoFocus />
    </ActionForm>
  );
}
