/** Signing in with the configured identity provider, and what its redirect says when that has failed. */
import { Alert, Divider } from "@mantine/core";
import { ShieldCheck } from "lucide-react";
import { useSearchParams } from "react-router";
import { ActionForm } from "../../components/action-form.tsx";
import { useSession } from "../../session/session.ts";

/** Nothing where there is no provider. */
export function OidcButton() {
  const name = useSession().data?.oidc_name;
  if (name === undefined) return null;
  return (
    <>
      <Divider label="or" />
      <ActionForm
        isEntry
        isSecond
        action={`Continue with ${name}`}
        icon={<ShieldCheck size={17} aria-hidden />}
        run={(call) => call("startOidc", {})}
        onDone={({ url }) => globalThis.location.assign(url)}
      />
    </>
  );
}

const MESSAGES: Readonly<Record<string, string>> = {
  sign_up_closed: "Sign-up is by invitation: ask an owner of an account for one.",
  account_not_linked:
    "A login with this e-mail exists already. Sign in with its password, then link the provider in your profile.",
  account_already_linked_to_different_user: "This login is linked to another user already.",
  access_denied: "The identity provider has refused.",
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
