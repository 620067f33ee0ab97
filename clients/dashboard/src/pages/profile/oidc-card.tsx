/** Links the configured identity provider to the user, and unlinks it. */
import { Card, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { CurrentPassword, passwordIn } from "../../components/current-password.tsx";
import { Failure } from "../../components/failure.tsx";
import { Form } from "../../components/form/form.tsx";
import { onSubmit } from "../../components/form-data.ts";
import { useUser } from "../../data/user.ts";
import { useSession } from "../../session/session.ts";
import { ProviderError } from "../sign-in/provider-error.tsx";

export function OidcCard() {
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
