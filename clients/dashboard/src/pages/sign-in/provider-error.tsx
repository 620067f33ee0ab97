/** What the identity provider's redirect says when signing in or linking has failed. */
import { Alert } from "@mantine/core";
import { useSearchParams } from "react-router";

const MESSAGES: Readonly<Record<string, string>> = {
  sign_up_closed: "Sign-up is by invitation: ask an owner of an account for one.",
  account_not_linked:
    "A login with this e-mail exists already. Sign in with its password, then link the provider under Account.",
  account_already_linked_to_different_user: "This login is linked to another user already.",
  access_denied: "The identity provider has refused.",
  state_mismatch: "This browser did not begin the sign-in, or it took too long. Try again.",
  state_not_found: "This browser did not begin the sign-in, or it took too long. Try again.",
  email_not_found: "The identity provider did not name an e-mail address.",
};

export function ProviderError() {
  const [query] = useSearchParams();
  const code = query.get("error");
  if (code === null) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      {MESSAGES[code.toLowerCase()] ??
        "Signing in with the identity provider did not work. Try again, or ask whoever runs it."}
    </Alert>
  );
}
