/** The sign-in page: e-mail and password, a passkey, or the configured identity provider. */
import { Alert, Anchor, Text } from "@mantine/core";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { Navigate, useLocation, useSearchParams } from "react-router";
import { ActionForm } from "../../components/action-form.tsx";
import {
  CodeInput,
  CurrentPassword,
  EmailInput,
  field,
  TextInput,
} from "../../components/form/form.tsx";
import { TextLink } from "../../components/texts.tsx";
import { useAction } from "../../data/queries.ts";
import { EntryCard } from "../../layout/entry-card.tsx";
import { useSession } from "../../session/session.ts";
import type { EndReason } from "../../session/sign-in-path.ts";
import { OidcButton, ProviderError } from "./oidc.tsx";

export default function SignIn() {
  const { data: session } = useSession();
  const [query] = useSearchParams();
  // The token of an invitation, whose page leads back to itself.
  const { hash } = useLocation();
  if (session?.user) return <Navigate to={safePath(query.get("to")) + hash} replace />;
  if (session?.needs_second_factor) return <SecondFactor />;
  return (
    <EntryCard
      title="Sign in"
      foot={
        <>
          {session?.sign_up === "open" && (
            <>
              New here? <TextLink to="/sign-up">Create an account</TextLink>
            </>
          )}
          {session?.sign_up === "invitation" &&
            "Sign-up is by invitation only: open the link in your invitation."}
        </>
      }
    >
      <ProviderError />
      <SessionEnded reason={query.get("reason")} />
      <ActionForm
        isEntry
        action="Sign in"
        run={(call, form) =>
          call("signIn", {
            body: { email: field(form, "email"), password: field(form, "password") },
          })
        }
      >
        <EmailInput autoFocus />
        <CurrentPassword />
      </ActionForm>
      <Text size="sm">
        <TextLink to="/forgotten-password">Forgotten your password?</TextLink>
      </Text>
      {"PublicKeyCredential" in globalThis && <PasskeyButton />}
      <OidcButton />
    </EntryCard>
  );
}

/** `to` if it is a path of the dashboard, else `/`: a link must not redirect to another site after sign-in. */
function safePath(to: string | null): string {
  return to !== null && /^\/[A-Za-z0-9?]/.test(to) ? to : "/";
}

function PasskeyButton() {
  return (
    <ActionForm
      isEntry
      isSecond
      action="Use a passkey"
      icon={<KeyRound size={17} aria-hidden />}
      run={async (call) => {
        const { options } = await call("beginPasskeySignIn", {});
        const { existingPasskey } = await import("../../session/passkeys.ts");
        const response = await existingPasskey(options);
        return call("signInWithPasskey", { body: { response } });
      }}
    />
  );
}

const TEXTS: Record<EndReason, string> = {
  password_changed: "The password was changed, which ends every other session.",
  ended_elsewhere: "It was signed out from another browser.",
  ended_by_operator: "The operators of this service ended it.",
  user_disabled: "The operators of this service disabled your login. Ask them to enable it again.",
  ended: "It lasts 30 days. Sign in to go on where you were.",
};

/** Nothing where `reason` is none. */
function SessionEnded({ reason }: { reason: string | null }) {
  if (reason === null || !Object.hasOwn(TEXTS, reason)) return null;
  return (
    <Alert color="yellow" role="status" title="Your session has ended">
      {TEXTS[reason as EndReason]}
    </Alert>
  );
}

function SecondFactor() {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const abandon = useAction((call) => call("signOut", {}));
  const isApp = kind === "app";
  return (
    <EntryCard
      title="Second factor"
      foot={
        <>
          <LinkButton onClick={() => setKind(isApp ? "recovery" : "app")}>
            {isApp ? "Use a recovery code" : "Use the app"}
          </LinkButton>
          {", or "}
          <LinkButton onClick={() => abandon.mutate()}>begin again</LinkButton>
        </>
      }
    >
      <ActionForm
        isEntry
        action="Sign in"
        run={(call, form) => call("completeSignIn", { body: { kind, code: field(form, "code") } })}
      >
        {isApp ? (
          <CodeInput label="Code of your authenticator app" />
        ) : (
          <TextInput key="recovery" name="code" label="Recovery code" autoComplete="off" required />
        )}
      </ActionForm>
    </EntryCard>
  );
}

function LinkButton(props: { onClick: () => void; children: string }) {
  return <Anchor component="button" type="button" size="sm" underline="always" {...props} />;
}
