/** Links the configured identity provider to the user, and unlinks it. */
import { Button, Card, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { Failure } from "../../components/failure.tsx";
import { useScope } from "../../session/scope.ts";
import { useSession } from "../../session/session.ts";
import { ProviderError } from "../sign-in/provider-error.tsx";

export function OidcCard() {
  const { user } = useScope();
  const name = useSession().data?.oidc_name;
  const client = useQueryClient();
  const link = useMutation({
    mutationFn: () => unwrap(api.POST("/auth/oidc/link")),
    onSuccess: ({ url }) => globalThis.location.assign(url),
  });
  const unlink = useMutation({
    mutationFn: () => unwrap(api.DELETE("/auth/oidc/link")),
    onSuccess: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  if (name === undefined) return null;
  const change = user.has_oidc ? unlink : link;
  return (
    <Card component="section" aria-labelledby="provider">
      <Title order={2} id="provider" fz={16} mb="sm">
        {name}
      </Title>
      <Stack>
        <ProviderError />
        <Text size="sm">
          {user.has_oidc
            ? `You can sign in with ${name}.`
            : `Link your login at ${name}, to sign in with it.`}
        </Text>
        {change.error && <Failure error={change.error} />}
        <Button
          variant="default"
          w="fit-content"
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          {user.has_oidc ? "Unlink" : `Link ${name}`}
        </Button>
      </Stack>
    </Card>
  );
}
