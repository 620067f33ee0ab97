/** The complete key, to be copied now. */
import { Alert, Button, Code, Group, Stack } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import { Copied } from "../../components/copy-button.tsx";

export function NewKey({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Stack>
      <Alert color="amber" icon={<TriangleAlert aria-hidden />} title="Copy it now">
        This is the only time the key is shown. Keep it on your server, in no page and no app.
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
        <Copied value={secret} label="Copy the key" withText />
        <Button onClick={onDone}>I have kept it</Button>
      </Group>
    </Stack>
  );
}
