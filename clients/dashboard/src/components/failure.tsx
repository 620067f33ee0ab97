/** An error: the server's message, the request id, and a button to retry; nothing where a form has it at its field. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { CircleAlert } from "lucide-react";
import { messageOf, Refusal } from "../api/refusal.ts";
import { useIsAtField } from "./form/form.tsx";

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const isAtField = useIsAtField(error);
  if (isAtField) return null;
  const requestId = error instanceof Refusal ? error.requestId : undefined;
  return (
    <Alert color="red" variant="light" role="alert" icon={<CircleAlert aria-hidden />}>
      <Group justify="space-between" align="center">
        <div>
          <Text size="sm">{messageOf(error)}</Text>
          {requestId && (
            <Text size="xs" c="dimmed">
              Request <span className="mono">{requestId}</span>
            </Text>
          )}
        </div>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
