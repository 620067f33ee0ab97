/** The complete new key, shown once so that the user can copy it. */
import { Alert, Button, Code, Group, Stack } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import { CopyText } from "../../components/copy-text.tsx";

export function NewKey({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert color="amber" icon={<TriangleAlert aria-hidden />} title="Copy it now">
        The key is shown only this once. Keep it on your server, never in a web page or an app.
      </Alert>
      <Code
        block
        fz={13}
        data-testid="new-key"
        style={{ overflowWrap: "anywhere", whiteSpace: "normal" }}
      >
        {secret}
      </Code>
      <Group justify="space-between">
        <CopyText value={secret} label="Copy the key" withText autoFocus />
        <Button onClick={onDone}>I have saved it</Button>
      </Group>
    </Stack>
  );
}
