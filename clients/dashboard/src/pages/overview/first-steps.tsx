/** Instructions for a new user: try the playground, create a key, send a first request, read the reference. */
import { Anchor, Code, List, Stack, Text } from "@mantine/core";
import { Section } from "../../components/page-head.tsx";
import { TextLink } from "../../components/texts.tsx";
import { useFirstRequest } from "../../data/samples.ts";
import { SampleTabs } from "../../components/sample-tabs.tsx";
import { useScope } from "../../data/scope.ts";

export function FirstSteps() {
  const { to, mode, may } = useScope();
  const request = useFirstRequest();
  return (
    <Section title="First steps">
      <Stack gap="sm">
        {may("createPlaygroundVideo") && (
          <Text size="sm">
            Try the models in the <TextLink to={to("playground")}>playground</TextLink>, without a
            key or code. Then, from your server:
          </Text>
        )}
        <List type="ordered" size="sm" spacing={6}>
          <List.Item>
            <TextLink to={to("settings/keys?create=1")}>Create an API key</TextLink> and keep it on
            your server.
          </List.Item>
          <List.Item>
            Set it in the environment: <Code>export MEDIA_API_KEY=mgs_{mode}_…</Code>
          </List.Item>
          <List.Item>Send a request:</List.Item>
        </List>
        <SampleTabs request={request} />
        <Text size="sm">
          The answer has the video, or after a minute how far it is. Follow its progress under{" "}
          <TextLink to={to("generations")}>Generations</TextLink>, receive a{" "}
          <TextLink to={to("settings/webhooks")}>webhook</TextLink> when it finishes, or read the{" "}
          <Anchor href="/docs" underline="always" inherit>
            reference
          </Anchor>
          .
        </Text>
      </Stack>
    </Section>
  );
}
