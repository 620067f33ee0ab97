/** The form that sends a test event to a URL and links to its delivery. */
import { Alert, Anchor, Button, Card, Stack, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Send } from "lucide-react";
import { Link } from "react-router";
import { api, unwrap } from "../../api/client.ts";
import { queryKeys } from "../../data/query-keys.ts";
import { Failure } from "../../components/failure.tsx";
import { field, onSubmit } from "../../components/form-data.ts";
import { useScope } from "../../data/scope.ts";
import { Form } from "../../components/form/form.tsx";
import { FieldRow } from "../../components/form/field-row.tsx";
import { TextInput } from "../../components/form/fields.tsx";

export function TestEvent() {
  const { keyPrefix, params, to } = useScope();
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: (url: string) =>
      unwrap(api.POST("/accounts/{account_id}/webhooks/test-events", { params, body: { url } })),
    onSuccess: () => client.invalidateQueries({ queryKey: queryKeys.deliveries(keyPrefix) }),
  });
  return (
    <Card component="section" aria-labelledby="test-event">
      <Title order={2} id="test-event" fz={16} mb="sm">
        Send a test event
      </Title>
      <Form onSubmit={onSubmit((form) => send.mutate(field(form, "url").trim()))}>
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
            <Button
              type="submit"
              loading={send.isPending}
              leftSection={<Send size={15} aria-hidden />}
            >
              Send
            </Button>
          </FieldRow>
          {send.error && <Failure error={send.error} />}
          {send.data && (
            <Alert color="teal" role="status">
              The event is on its way.{" "}
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
