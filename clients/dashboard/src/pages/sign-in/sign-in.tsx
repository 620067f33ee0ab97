/** The sign-in page: e-mail and password, or the configured identity provider. */
import { Anchor, Stack, Text } from "@mantine/core";
import { Link, Navigate, useLocation, useSearchParams } from "react-router";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { EntryCard } from "../../layout/entry-card.tsx";
import { Failure } from "../../components/failure.tsx";
import { field, onSubmit } from "../../components/form-data.ts";
import { useAbandonSignIn, useSession, useSignIn } from "../../session/session.ts";
import { OidcButton } from "./oidc-button.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { ProviderError } from "./provider-error.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";
import { SessionEnded } from "./session-ended.tsx";
import { Form } from "../../components/form/form.tsx";
import { PasswordInput, TextInput } from "../../components/form/fields.tsx";

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
