/** Who created something, as a small line below it; nothing when it is not known. */
import { Text } from "@mantine/core";
import type { Schemas } from "../api/client.ts";

type Props = { creator: Schemas["Creator"] };

export function Creator({ creator }: Props) {
  return (
    <Text size="xs" c="dimmed">
      by {creatorName(creator)}
    </Text>
  );
}

export function creatorName({ type, name }: Schemas["Creator"]): string {
  if (type === "operator") return "an operator of the service";
  return name ?? "a former user";
}
