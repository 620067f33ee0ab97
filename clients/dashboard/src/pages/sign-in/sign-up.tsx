/** The sign-up page, for services where anyone may sign up. */
import { Text } from "@mantine/core";
import { Navigate, useNavigate } from "react-router";
import { ActionForm } from "../../components/action-form.tsx";
import { EmailInput, field, NameInput, NewPassword } from "../../components/form/form.tsx";
import { PageLoading } from "../../components/states.tsx";
import { TextLink } from "../../components/texts.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useLinkFragment } from "../../session/link-fragment.ts";
import { useSession } from "../../session/session.ts";
import { OidcButton } from "./oidc.tsx";

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

type Props = {
  /** The address that a mailed link or an invitation is for, and the token of that link. */
  known?: { email: string } & ({ invitation: string } | { proof: string });
};

/** Name, e-mail and password; of an invited or verified user the e-mail is known. */
export function SignUpForm({ known }: Props) {
  const navigate = useNavigate();
  return (
    <ActionForm
      isEntry
      action="Sign up"
      run={(call, form) => {
        const [name, email] = [field(form, "name"), field(form, "email")];
        const body = { name, email, password: field(form, "password"), ...known };
        return call("signUp", { body });
      }}
      onDone={() => navigate("/")}
    >
      <NameInput label="Your name" autoComplete="name" />
      <EmailInput {...(known && { value: known.email, readOnly: true })} />
      <NewPassword />
    </ActionForm>
  );
}
