/** The form that sends a test event to a URL and links to its delivery. */
import { Alert, Anchor, Box, Card, Select, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";
import { EVENT_TYPES } from "../../../../typescript/http/filter-values.ts";
import {
  BusyButton,
  field,
  FieldRow,
  Form,
  onSubmit,
  TextInput,
} from "../../components/form/form.tsx";
import typescriptPackage from "../../../../typescript/package.json" with { type: "json" };
import { api, unwrap, type Schemas } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { refetch } from "../../data/refetch.ts";
import { CodeBlock } from "../../components/texts.tsx";
import { Failure } from "../../components/states.tsx";
import { useScope } from "../../data/scope.ts";

type EventType = NonNullable<Schemas["TestEventRequest"]["type"]>;

/** The package is the service's own: npm has none of its name. */
function forwardEvents(mode: "live" | "test"): string {
  const { origin } = globalThis.location;
  const { name, version } = typescriptPackage;
  return [
    `export MEDIA_BASE_URL=${origin}/v1`,
    `export MEDIA_API_KEY=mgs_${mode}_…`,
    `npx --package ${origin}/docs/packages/${name}-${version}.tgz \\`,
    "  media-generation listen --forward-to localhost:3000/webhooks",
  ].join("\n");
}

export function TestEvent() {
  const { keyPrefix, mode, params, to } = useScope();
  const client = useQueryClient();
  const [type, setType] = useState<EventType>("webhook.test");
  const send = useMutation({
    mutationFn: (body: { url: string; type: EventType }) =>
      unwrap(api.POST("/accounts/{account_id}/webhooks/test-events", { params, body })),
    onSuccess: () => refetch(client, queryKeys.deliveries(keyPrefix)),
  });
  return (
    <Card component="section" aria-labelledby="test-event">
      <Title order={2} id="test-event" fz={16}>
        Send a test event
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        To a public address. For a server on your own computer, run this there, with an API key of
        this mode: it forwards the events of your generations.
      </Text>
      <Box mb="md">
        <CodeBlock label="Forward events" code={forwardEvents(mode)} />
      </Box>
      <Form
        onChange={send.reset}
        onSubmit={onSubmit((form) => send.mutate({ url: field(form, "url").trim(), type }))}
      >
        <Stack gap="sm">
          <FieldRow>
            <TextInput
              name="url"
              label="URL"
              type="url"
              required
              maxLength={2_048}
              placeholder="https://shop.example.com/hooks/media"
              flex="1 1 280px"
            />
            <Select
              label="Event"
              w={250}
              allowDeselect={false}
              data={[...EVENT_TYPES]}
              value={type}
              onChange={(chosen) => {
                setType(chosen ?? "webhook.test");
                send.reset();
              }}
            />
            <BusyButton
              type="submit"
              isBusy={send.isPending}
              leftSection={<Send size={15} aria-hidden />}
            >
              Send
            </BusyButton>
          </FieldRow>
          {send.error && <Failure error={send.error} />}
          {send.data && (
            <Alert color="teal" role="status">
              The event, with sample data, is on its way.{" "}
              <Anchor
                component={Link}
                to={to(`settings/webhooks/${send.data.id}`)}
                size="sm"
                underline="always"
              >
                See its delivery
              </Anchor>
            </Alert>
          )}
        </Stack>
      </Form>
    </Card>
  );
}
