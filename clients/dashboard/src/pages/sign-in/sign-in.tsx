/** The sign-in page: e-mail and password, or the configured identity provider. */
import { Alert, Anchor, Stack, Text } from "@mantine/core";
import { Link, Navigate, useLocation, useSearchParams } from "react-router";
import {
  BusyButton,
  CodeInput,
  field,
  Form,
  onSubmit,
  PasswordInput,
  TextInput,
} from "../../components/form/form.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { Failure } from "../../components/states.tsx";
import {
  useAbandonSignIn,
  useCompleteSignIn,
  usePasskey,
  useSession,
  useSignIn,
} from "../../session/session.ts";
import { OidcButton } from "./oidc-button.tsx";
import { ProviderError } from "./provider-error.tsx";
import { KeyRound } from "lucide-react";
import type { EndReason } from "../../session/sign-in-path.ts";
import { useState } from "react";

export default function SignIn() {
  const session = useSession();
  const signIn = useSignIn();
  const abandon = useAbandonSignIn();
  const [query] = useSearchParams();
  // The token of an invitation, whose page leads back to itself.
  const { hash } = useLocation();
  if (session.data?.user) {
    return <Navigate to={{ pathname: safePath(query.get("to")), hash }} replace />;
  }
  if (session.data?.needs_second_factor) {
    return (
      <EntryCard title="Second factor">
        <SecondFactorForm onCancel={() => abandon.mutate()} />
      </EntryCard>
    );
  }
  return (
    <EntryCard title="Sign in">
      <ProviderError />
      <SessionEnded reason={query.get("reason")} />
      <Form
        onSubmit={onSubmit((form) =>
          signIn.mutate({ email: field(form, "email").trim(), password: field(form, "password") }),
        )}
      >
        <Stack>
          <TextInput
            name="email"
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            autoFocus
          />
          <PasswordInput
            name="password"
            label="Password"
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
          />
          {signIn.error && <Failure error={signIn.error} />}
          <BusyButton type="submit" size="md" isBusy={signIn.isPending}>
            Sign in
          </BusyButton>
          <Anchor component={Link} to="/forgotten-password" size="sm" underline="always">
            Forgotten your password?
          </Anchor>
        </Stack>
      </Form>
      <PasskeyButton />
      <OidcButton name={session.data?.oidc_name} />
      {session.data?.sign_up === "open" && (
        <Text size="sm" ta="center" c="dimmed">
          New here?{" "}
          <Anchor component={Link} to="/sign-up" underline="always">
            Create an account
          </Anchor>
        </Text>
      )}
      {session.data?.sign_up === "invitation" && (
        <Text size="sm" ta="center" c="dimmed">
          Sign-up is by invitation only: open the link in your invitation.
        </Text>
      )}
    </EntryCard>
  );
}

/** `to` if it is a path of the dashboard, else `/`: a link must not redirect to another site after sign-in. */
function safePath(to: string | null): string {
  return to !== null && /^\/[A-Za-z0-9]/.test(to) ? to : "/";
}

function PasskeyButton() {
  const passkey = usePasskey();
  if (!("PublicKeyCredential" in globalThis)) return null;
  return (
    <>
      {passkey.error && <Failure error={passkey.error} />}
      <BusyButton
        variant="default"
        size="md"
        leftSection={<KeyRound size={17} aria-hidden />}
        isBusy={passkey.isPending}
        onClick={() => passkey.mutate()}
      >
        Use a passkey
      </BusyButton>
    </>
  );
}

const TEXTS: Record<EndReason, string> = {
  password_changed: "The password was changed, which ends every other session.",
  ended_elsewhere: "It was signed out from another browser.",
  ended_by_operator: "The operators of this service ended it.",
  user_disabled: "The operators of this service disabled your login. Ask them to enable it again.",
  expired: "A session ends 30 days after signing in.",
  ended: "Sign in to go on where you were.",
};

const isReason = (text: string): text is EndReason => Object.hasOwn(TEXTS, text);

/** Nothing where `reason` is none. */
function SessionEnded({ reason }: { reason: string | null }) {
  if (reason === null || !isReason(reason)) return null;
  return (
    <Alert color="amber" role="status" title="Your session has ended">
      {TEXTS[reason]}
    </Alert>
  );
}

function SecondFactorForm({ onCancel }: { onCancel: () => void }) {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const complete = useCompleteSignIn();
  const isApp = kind === "app";
  return (
    <Form
      onSubmit={onSubmit((form) => complete.mutate({ kind, code: field(form, "code").trim() }))}
    >
      <Stack>
        {isApp ? (
          <CodeInput label="Code of your authenticator app" />
        ) : (
          <TextInput key="recovery" name="code" label="Recovery code" autoComplete="off" required />
        )}
        {complete.error && <Failure error={complete.error} />}
        <BusyButton type="submit" size="md" isBusy={complete.isPending}>
          Sign in
        </BusyButton>
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          onClick={() => setKind(isApp ? "recovery" : "app")}
        >
          {isApp ? "Use a recovery code" : "Use the app"}
        </Anchor>
        <Anchor component="button" type="button" size="sm" underline="always" onClick={onCancel}>
          Begin again
        </Anchor>
      </Stack>
    </Form>
  );
}
