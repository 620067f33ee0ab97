/** Instructions for a new user: try the playground, create a key, send a first request, read the reference. */
import { Anchor, Card, Code, List, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useFirstRequest } from "../../data/samples.ts";
import { SampleTabs } from "../../components/sample-tabs.tsx";
import { useScope } from "../../data/scope.ts";

/** `hasKey`: whether the mode has an API key already. */
export function FirstSteps({ hasKey }: { hasKey: boolean }) {
  const { account, mode } = useScope();
  return (
    <Card component="section" aria-labelledby="first-steps" h="100%">
      <Title order={2} id="first-steps" fz={16} mb="sm">
        First steps
      </Title>
      {mode === "live" && !account.production_granted ? (
        <AccessFirst />
      ) : (
        <FirstRequest hasKey={hasKey} />
      )}
    </Card>
  );
}

/** For live mode before the account may use it. */
function AccessFirst() {
  const { to, may } = useScope();
  return (
    <Text size="sm">
      Live mode has no API keys before production access is granted.{" "}
      {may("createRequest")
        ? "Request it with the button at the top of this page; the answer comes by mail."
        : "An owner of this account can request it."}{" "}
      Until then build in <PageLink to={to("overview", "test")}>test mode</PageLink>, which has the
      same rules and prices.
    </Text>
  );
}

function PageLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} underline="always" inherit>
      {children}
    </Anchor>
  );
}

function FirstRequest({ hasKey }: { hasKey: boolean }) {
  const { to, mode, may } = useScope();
  const request = useFirstRequest();
  return (
    <Stack gap="sm">
      {may("createPlaygroundVideo") && (
        <Text size="sm">
          Try the models in the <PageLink to={to("playground")}>playground</PageLink>, without a key
          or code. Then, from your server:
        </Text>
      )}
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>
          {hasKey ? (
            <>
              Done: there is an <PageLink to={to("settings/keys")}>API key</PageLink> of {mode}{" "}
              mode.
            </>
          ) : (
            <>
              <PageLink to={to("settings/keys?create=1")}>Create an API key</PageLink> and keep it
              on your server.
            </>
          )}
        </List.Item>
        <List.Item>
          Set it in the environment: <Code>export MEDIA_API_KEY=mgs_{mode}_…</Code>
        </List.Item>
        <List.Item>Send a request:</List.Item>
      </List>
      <SampleTabs request={request} />
      <Text size="sm">
        The answer has the video, or after a minute how far it is. Follow its progress under{" "}
        <PageLink to={to("generations")}>Generations</PageLink>, receive a{" "}
        <PageLink to={to("settings/webhooks")}>webhook</PageLink> when it finishes, or read the{" "}
        <Anchor href="/docs" underline="always" inherit>
          reference
        </Anchor>
        .
      </Text>
    </Stack>
  );
}
