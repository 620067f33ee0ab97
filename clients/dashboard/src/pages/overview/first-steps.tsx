/** Instructions for a new user: create a key, send a first request, read the reference. */
import { Anchor, Card, List, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useModels } from "../../data/queries.ts";
import { firstCurl } from "../../data/samples.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { useScope } from "../../data/scope.ts";

const FALLBACK_MODEL = "beta-3.0-video";

export function FirstSteps() {
  const { account, mode } = useScope();
  return (
    <Card component="section" aria-labelledby="first-steps" h="100%">
      <Title order={2} id="first-steps" fz={16} mb="sm">
        First steps
      </Title>
      {mode === "live" && !account.production_granted ? <AccessFirst /> : <FirstRequest />}
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

function FirstRequest() {
  const { to, mode } = useScope();
  const models = useModels();
  const model = models.data?.find(
    ({ kind, availability, required_inputs: required }) =>
      kind === "video" && availability === "available" && !required.includes("image"),
  );
  return (
    <Stack gap="sm">
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>
          <PageLink to={to("settings/keys")}>Create an API key</PageLink> and keep it on your
          server.
        </List.Item>
        <List.Item>Send this from a terminal:</List.Item>
      </List>
      <CodeBlock code={firstCurl(model?.id ?? FALLBACK_MODEL, mode)} label="Example request" />
      <Text size="sm">
        Then follow its progress under <PageLink to={to("generations")}>Generations</PageLink>,
        receive a <PageLink to={to("settings/webhooks")}>webhook</PageLink> when it finishes, or
        read the{" "}
        <Anchor href="/docs" underline="always" inherit>
          reference
        </Anchor>
        .
      </Text>
    </Stack>
  );
}
