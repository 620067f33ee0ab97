/** The second step of setting up an authenticator app: its secret, the recovery codes and a first code. */
import { Anchor, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { BusyButton, CodeInput, field, Form, onSubmit } from "../../components/form/form.tsx";
import { api, type Schemas, unwrap } from "../../api/client.ts";
import { SESSION } from "../../api/query-client.ts";
import { CopyText } from "../../components/texts.tsx";
import { Failure } from "../../components/states.tsx";
import { RecoveryCodes } from "./recovery-codes.tsx";
import encodeQR from "qr";

type Props = { secondFactor: Schemas["NewSecondFactor"]; onClose: () => void };

export function SetUpApp({ secondFactor, onClose }: Props) {
  const client = useQueryClient();
  const secret = new URL(secondFactor.uri).searchParams.get("secret") ?? "";
  const confirm = useMutation({
    mutationFn: (code: string) =>
      unwrap(api.POST("/auth/second-factor/confirm", { body: { code } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: SESSION });
      onClose();
    },
  });
  return (
    <Form onSubmit={onSubmit((form) => confirm.mutate(field(form, "code").trim()))}>
      <Stack>
        <Text size="sm">
          Scan the code with your authenticator app, add the secret by hand, or{" "}
          <Anchor href={secondFactor.uri} size="sm" underline="always">
            open the app on this device
          </Anchor>
          .
        </Text>
        <QrCode text={secondFactor.uri} label="QR code of the secret below" />
        <Group gap="xs" wrap="nowrap">
          <Code style={{ overflowWrap: "anywhere" }} data-testid="app-secret">
            {secret}
          </Code>
          <CopyText value={secret} label="Copy the secret" />
        </Group>
        <RecoveryCodes codes={secondFactor.recovery_codes} />
        <CodeInput label="Code of the app" />
        {confirm.error && <Failure error={confirm.error} />}
        <Group gap="sm">
          <BusyButton type="submit" isBusy={confirm.isPending}>
            Turn on
          </BusyButton>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

/** Scanners need it around the code, in modules. */
const BORDER = 4;
const SIZE_PX = 200;

/** `label` says what it encodes, for whoever cannot see it. It is black on white in dark mode too, as scanners expect. */
function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, "raw", { border: BORDER });
  const dark = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      width={SIZE_PX}
      height={SIZE_PX}
      shapeRendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}
