/** Every attempt of a delivery: time, duration, and the receiver's response. */
import { Badge, Code, Group, Stack, Text } from "@mantine/core";
import type { Schemas } from "../../api/client.ts";
import { answerOf } from "../../components/delivery-words.ts";
import { dateTime } from "../../components/value-format.ts";

type Attempt = Schemas["WebhookAttempt"];

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None yet; the first is due now.
      </Text>
    );
  }
  return (
    <Stack gap="md" component="ol" m={0} p={0} style={{ listStyle: "none" }}>
      {attempts.toReversed().map((attempt) => (
        <li key={attempt.at}>
          <Group gap="sm" mb={attempt.response_body ? 6 : 0}>
            <Badge color={isAccepted(attempt) ? "teal" : "red"}>
              {attempt.status_code ?? answerOf(attempt)}
            </Badge>
            <Text size="sm">
              <time dateTime={attempt.at}>{dateTime(attempt.at)}</time>
            </Text>
            <Text size="sm" c="dimmed" className="number">
              {attempt.duration_ms} ms
            </Text>
          </Group>
          {attempt.response_body && (
            <Code
              block
              fz={12}
              mah={160}
              tabIndex={0}
              role="region"
              aria-label={`Answer of ${dateTime(attempt.at)}`}
            >
              {attempt.response_body}
            </Code>
          )}
        </li>
      ))}
    </Stack>
  );
}

function isAccepted({ status_code: status = 0 }: Attempt): boolean {
  return status >= 200 && status < 300;
}
