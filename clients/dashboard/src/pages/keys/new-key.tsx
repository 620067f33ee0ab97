/** The complete new key, shown once so that the user can copy it, and a first request with it. */
import { Alert, Button, Code, Group, Stack } from "@mantine/core";
import { TriangleAlert } from "lucide-react";
import type { Schemas } from "../../api/client.ts";
import { CodeBlock, CopyText } from "../../components/texts.tsx";
import { curlSample, useFirstRequest } from "../../data/samples.ts";

type Props = { created: Schemas["CreatedApiKey"]; onDone: () => void };

export function NewKey({ created: { key, secret }, onDone }: Props) {
  const request = useFirstRequest(key.permissions);
  const isCharged = key.mode === "live" && request.method === "POST";
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
      <CodeBlock
        label={isCharged ? "First request (it is charged)" : "First request"}
        code={`export MEDIA_API_KEY=${secret}\n${curlSample(request)}`}
      />
    </Stack>
  );
}
