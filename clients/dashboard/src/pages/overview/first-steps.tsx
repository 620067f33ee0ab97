/** Instructions for a new user: create a key, send a first request, read the reference. */
import { Anchor, Card, List, Stack, Text, Title } from "@mantine/core";
import { Link } from "react-router";
import { useModels } from "../../data/queries.ts";
import { firstCurl } from "../../data/samples.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { useScope } from "../../data/scope.ts";

const FALLBACK_MODEL = "beta-3.0-video";

export function FirstSteps() {
  const { to, mode } = useScope();
  const models = useModels();
  const model = models.data?.find(
    ({ kind, availability, required_inputs: required }) =>
      kind === "video" && availability === "available" && !required.includes("image"),
  );
  return (
    <Card component="section" aria-labelledby="first-steps" h="100%">
      <Title order={2} id="first-steps" fz={16} mb="sm">
        First steps
      </Title>
      <Stack gap="sm">
        <List type="ordered" size="sm" spacing={6}>
          <List.Item>
            <Anchor component={Link} to={to("settings/keys")} underline="always" inherit>
              Create an API key
            </Anchor>{" "}
            and keep it on your server.
          </List.Item>
          <List.Item>Send this from a terminal:</List.Item>
        </List>
        <CodeBlock code={firstCurl(model?.id ?? FALLBACK_MODEL, mode)} label="Example request" />
        <Text size="sm">
          Then follow its progress under{" "}
          <Anchor component={Link} to={to("generations")} underline="always" inherit>
            Generations
          </Anchor>
          , receive a{" "}
          <Anchor component={Link} to={to("settings/webhooks")} underline="always" inherit>
            webhook
          </Anchor>{" "}
          when it finishes, or read the{" "}
          <Anchor href="/docs" underline="always" inherit>
            reference
          </Anchor>
          .
        </Text>
      </Stack>
    </Card>
  );
}
