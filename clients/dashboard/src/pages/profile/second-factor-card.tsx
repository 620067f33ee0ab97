/** The user's second factor: setting up an authenticator app, new recovery codes, and removing it. */
import { Alert, Badge, Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import {
  BusyButton,
  CurrentPassword,
  Form,
  onSubmit,
  passwordIn,
} from "../../components/form/form.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { Failure } from "../../components/states.tsx";
import { useUser } from "../../data/scope.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { SetUpApp } from "./set-up-app.tsx";

export function SecondFactorCard() {
  const user = useUser();
  const [begun, setBegun] = useState<Schemas["NewSecondFactor"]>();
  return (
    <Card component="section" aria-labelledby="second-factor">
      <Group gap="sm" mb="sm">
        <Title order={2} id="second-factor" fz={16}>
          Second factor
        </Title>
        {user.has_second_factor && <Badge color="teal">on</Badge>}
      </Group>
      {begun ? (
        <SetUpApp secondFactor={begun} onClose={() => setBegun(undefined)} />
      ) : user.has_second_factor ? (
        <Manage />
      ) : (
        <Begin onBegun={setBegun} />
      )}
    </Card>
  );
}

function Begin({ onBegun }: { onBegun: (begun: Schemas["NewSecondFactor"]) => void }) {
  const begin = useMutation({
    mutationFn: (body: Schemas["PasswordRequest"]) =>
      unwrap(api.POST("/auth/second-factor", { body })),
    onSuccess: onBegun,
    gcTime: 0,
  });
  return (
    <Form onSubmit={onSubmit((form) => begin.mutate(passwordIn(form)))}>
      <Stack maw={380}>
        <Text size="sm">
          With an authenticator app, signing in needs a code of your phone besides your password or
          provider.
        </Text>
        <CurrentPassword />
        {begin.error && <Failure error={begin.error} />}
        <BusyButton type="submit" variant="default" w="fit-content" isBusy={begin.isPending}>
          Set up an app
        </BusyButton>
      </Stack>
    </Form>
  );
}

function Manage() {
  const client = useQueryClient();
  const renew = useMutation({
    mutationFn: (body: Schemas["PasswordRequest"]) =>
      unwrap(api.POST("/auth/second-factor/recovery-codes", { body })),
    gcTime: 0,
  });
  const remove = useMutation({
    mutationFn: (body: Schemas["PasswordRequest"]) =>
      unwrap(api.POST("/auth/second-factor/remove", { body })),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  const failure = renew.error ?? remove.error;
  if (renew.data) {
    return (
      <Stack>
        <Alert color="teal" role="status">
          The earlier codes no longer work.
        </Alert>
        <RecoveryCodes codes={renew.data.recovery_codes} />
        <Button variant="default" w="fit-content" onClick={() => renew.reset()}>
          I have stored them
        </Button>
      </Stack>
    );
  }
  return (
    <Form
      onSubmit={(event) => {
        const button = (event.nativeEvent as SubmitEvent).submitter;
        const isRemoval = button?.getAttribute("value") === "remove";
        const body = passwordIn(new FormData(event.currentTarget));
        event.preventDefault();
        (isRemoval ? remove : renew).mutate(body);
      }}
    >
      <Stack maw={380}>
        <CurrentPassword />
        {failure && <Failure error={failure} />}
        <Group gap="sm">
          <BusyButton type="submit" value="renew" variant="default" isBusy={renew.isPending}>
            New recovery codes
          </BusyButton>
          <BusyButton
            type="submit"
            value="remove"
            variant="default"
            c="var(--mantine-color-error)"
            isBusy={remove.isPending}
          >
            Remove
          </BusyButton>
        </Group>
      </Stack>
    </Form>
  );
}
