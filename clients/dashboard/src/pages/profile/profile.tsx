/** Your profile: who the user is, how they sign in, and where they are signed in, whatever the account. */
import { Badge, Group, Stack, Text } from "@mantine/core";
import { LogOut } from "lucide-react";
import { ActionForm } from "../../components/action-form.tsx";
import {
  BusyButton,
  EmailInput,
  field,
  NameInput,
  NewPassword,
} from "../../components/form/form.tsx";
import { PageHead, Section } from "../../components/page-head.tsx";
import { useUser } from "../../data/scope.ts";
import { useSession, useSignOut } from "../../session/session.ts";
import { ProviderError } from "../sign-in/oidc.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { AskedPassword, useAskedPassword } from "./password.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";

export default function Profile() {
  const user = useUser();
  const signOut = useSignOut();
  return (
    <>
      <PageHead
        title="Your profile"
        actions={
          <BusyButton
            variant="default"
            leftSection={<LogOut size={15} aria-hidden />}
            isBusy={signOut.isPending}
            onClick={() => signOut.mutate()}
          >
            Sign out
          </BusyButton>
        }
      >
        Who you are and how you sign in, to all accounts that you belong to.
      </PageHead>
      <Stack gap="lg">
        <Section title="Name">
          <ActionForm
            isRow
            action="Rename"
            // Lists of members and who created something have it too.
            run={(call, form) => call("changeName", { body: { name: field(form, "name") } })}
          >
            <NameInput label="Your name" defaultValue={user.name} maw={380} flex="1 1 240px" />
          </ActionForm>
        </Section>
        <AskedPassword>
          <EmailCard />
          {user.has_password && <PasswordCard />}
          <SecondFactorCard />
          <PasskeysCard />
          <OidcCard />
        </AskedPassword>
        <SessionsCard />
      </Stack>
    </>
  );
}

function EmailCard() {
  const user = useUser();
  const session = useSession();
  const password = useAskedPassword();
  return (
    <Section title="E-mail">
      <Stack>
        <Group gap="sm">
          <Text size="sm">{user.email}</Text>
          {user.email_verified && <Badge color="teal">confirmed</Badge>}
        </Group>
        {!user.email_verified && session.data?.verifies_email && (
          <ActionForm
            action="Send a link to confirm it"
            instead="A mail with a link is on its way."
            run={(call) => call("sendVerification", {})}
          />
        )}
        <ActionForm
          isRow
          action="Change e-mail"
          instead="A mail with a link is on its way. The address changes when both addresses are confirmed."
          run={(call, form) => {
            const { password: current } = password.take();
            const body = { email: field(form, "email"), current_password: current };
            return call("changeEmail", { body });
          }}
        >
          <EmailInput label="New e-mail" maw={380} flex="1 1 240px" />
        </ActionForm>
      </Stack>
    </Section>
  );
}

function PasswordCard() {
  const password = useAskedPassword();
  return (
    <Section title="Password">
      <ActionForm
        isCleared
        action="Change password"
        answered={() => "Password changed. Every other session has ended."}
        run={(call, form) => {
          const current = password.take().password ?? "";
          const body = { current_password: current, new_password: field(form, "new_password") };
          return call("changePassword", { body });
        }}
        onDone={password.forget}
      >
        <NewPassword name="new_password" label="New password" maw={380} />
      </ActionForm>
    </Section>
  );
}

function OidcCard() {
  const user = useUser();
  const name = useSession().data?.oidc_name;
  const password = useAskedPassword();
  if (name === undefined) return null;
  return (
    <Section title={name}>
      <ActionForm
        action={user.has_oidc ? "Unlink" : `Link ${name}`}
        run={async (call) => {
          const body = password.take();
          if (user.has_oidc) return call("unlinkOidc", { body });
          const { url } = await call("linkOidc", { body });
          return globalThis.location.assign(url);
        }}
      >
        <ProviderError />
        <Text size="sm">
          {user.has_oidc
            ? `You can sign in with ${name}.`
            : `Link your login at ${name}, to sign in with it.`}
        </Text>
      </ActionForm>
    </Section>
  );
}
