/** The user's e-mail: verifying it, and changing it by links to both addresses. */
import { Alert, Badge, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import {
  BusyButton,
  CurrentPassword,
  field,
  Form,
  onSubmit,
  passwordIn,
  TextInput,
} from "../../components/form/form.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { Failure } from "../../components/states.tsx";
import { useUser } from "../../data/scope.ts";
import { useSession } from "../../session/session.ts";

export function EmailCard() {
  const user = useUser();
  const session = useSession();
  return (
    <Card component="section" aria-labelledby="email">
      <Title order={2} id="email" fz={16} mb="sm">
        E-mail
      </Title>
      <Stack maw={380}>
        <Group gap="sm">
          <Text size="sm">{user.email}</Text>
          {user.email_verified && <Badge color="teal">confirmed</Badge>}
        </Group>
        {!user.email_verified && session.data?.verifies_email && <Verify />}
        <Change />
      </Stack>
    </Card>
  );
}

function Verify() {
  const send = useMutation({ mutationFn: () => unwrap(api.POST("/auth/email/verification")) });
  if (send.isSuccess) {
    return (
      <Alert color="teal" role="status">
        A mail with a link is on its way.
      </Alert>
    );
  }
  return (
    <>
      <Text size="sm">Your address is not confirmed.</Text>
      {send.error && <Failure error={send.error} />}
      <BusyButton
        variant="default"
        w="fit-content"
        isBusy={send.isPending}
        onClick={() => send.mutate()}
      >
        Send a link to confirm it
      </BusyButton>
    </>
  );
}

function Change() {
  const change = useMutation({
    mutationFn: (body: Schemas["ChangeEmailRequest"]) => unwrap(api.POST("/auth/email", { body })),
  });
  if (change.isSuccess) {
    return (
      <Alert color="teal" role="status">
        A mail with a link is on its way. The address changes when both addresses are confirmed.
      </Alert>
    );
  }
  return (
    <Form
      onSubmit={onSubmit((form) =>
        change.mutate({
          email: field(form, "email").trim(),
          current_password: passwordIn(form).password,
        }),
      )}
    >
      <Stack>
        <TextInput name="email" label="New e-mail" type="email" required maxLength={254} />
        <CurrentPassword />
        {change.error && <Failure error={change.error} />}
        <BusyButton type="submit" variant="default" w="fit-content" isBusy={change.isPending}>
          Change e-mail
        </BusyButton>
      </Stack>
    </Form>
  );
}
