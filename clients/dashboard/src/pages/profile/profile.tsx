/** Your profile: who the user is, how they sign in, and where they are signed in, whatever the account. */
import { Alert, Card, Stack, Text, Title } from "@mantine/core";
import { LogOut } from "lucide-react";
import {
  BusyButton,
  CurrentPassword,
  field,
  Form,
  NewPassword,
  onSubmit,
  passwordIn,
} from "../../components/form/form.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { useUser } from "../../data/scope.ts";
import { useSession, useSignOut } from "../../session/session.ts";
import { EmailCard } from "./email-card.tsx";
import { PasskeysCard } from "./passkeys-card.tsx";
import { SecondFactorCard } from "./second-factor-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { RenameForm } from "../../components/rename-form.tsx";
import { useRef } from "react";
import { Failure } from "../../components/states.tsx";
import { SESSION } from "../../api/query-client.ts";
import { ProviderError } from "../sign-in/provider-error.tsx";

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
        <NameCard />
        <EmailCard />
        {user.has_password && <PasswordCard />}
        <SecondFactorCard />
        <PasskeysCard />
        <OidcCard />
        <SessionsCard />
      </Stack>
    </>
  );
}

function NameCard() {
  const user = useUser();
  const client = useQueryClient();
  return (
    <Card component="section" aria-labelledby="name">
      <Title order={2} id="name" fz={16} mb="sm">
        Name
      </Title>
      <RenameForm
        label="Your name"
        current={user.name}
        maw={380}
        save={(name) => unwrap(api.POST("/auth/name", { body: { name } }))}
        // Lists of members and who created something have it too.
        onSaved={() => client.invalidateQueries()}
      />
    </Card>
  );
}

function PasswordCard() {
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (body: Schemas["ChangePasswordRequest"]) =>
      unwrap(api.POST("/auth/password", { body })),
    onSuccess: () => form.current?.reset(),
  });
  return (
    <Card component="section" aria-labelledby="password">
      <Title order={2} id="password" fz={16} mb="sm">
        Password
      </Title>
      <Form
        ref={form}
        onSubmit={onSubmit((submitted) =>
          change.mutate({
            current_password: passwordIn(submitted).password ?? "",
            new_password: field(submitted, "new_password"),
          }),
        )}
      >
        <Stack maw={380}>
          <CurrentPassword label="Current password" />
          <NewPassword name="new_password" label="New password" />
          {change.error && <Failure error={change.error} />}
          {change.isSuccess && (
            <Alert color="teal" role="status">
              Password changed. Every other session has ended.
            </Alert>
          )}
          <BusyButton type="submit" variant="default" w="fit-content" isBusy={change.isPending}>
            Change password
          </BusyButton>
        </Stack>
      </Form>
    </Card>
  );
}

function OidcCard() {
  const user = useUser();
  const name = useSession().data?.oidc_name;
  const client = useQueryClient();
  const link = useMutation({
    mutationFn: (body: Schemas["PasswordRequest"]) => unwrap(api.POST("/auth/oidc/link", { body })),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
  const unlink = useMutation({
    mutationFn: (body: Schemas["PasswordRequest"]) =>
      unwrap(api.POST("/auth/oidc/unlink", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  if (name === undefined) return null;
  const change = user.has_oidc ? unlink : link;
  return (
    <Card component="section" aria-labelledby="provider">
      <Title order={2} id="provider" fz={16} mb="sm">
        {name}
      </Title>
      <Form onSubmit={onSubmit((form) => change.mutate(passwordIn(form)))}>
        <Stack maw={380}>
          <ProviderError />
          <Text size="sm">
            {user.has_oidc
              ? `You can sign in with ${name}.`
              : `Link your login at ${name}, to sign in with it.`}
          </Text>
          <CurrentPassword />
          {change.error && <Failure error={change.error} />}
          <BusyButton type="submit" variant="default" w="fit-content" isBusy={change.isPending}>
            {user.has_oidc ? "Unlink" : `Link ${name}`}
          </BusyButton>
        </Stack>
      </Form>
    </Card>
  );
}
