/** The user's second factor: setting up an authenticator app, new recovery codes, and removing it. */
import { Anchor, Badge, Button, Group, Stack, Text } from "@mantine/core";
import encodeQR from "qr";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { ActionForm, Done } from "../../components/action-form.tsx";
import { CodeInput, field } from "../../components/form/form.tsx";
import { Section } from "../../components/page-head.tsx";
import { Copyable } from "../../components/texts.tsx";
import { useUser } from "../../data/scope.ts";
import { useAskedPassword } from "./password.tsx";

type Begun = Schemas["NewSecondFactor"];

export function SecondFactorCard() {
  const user = useUser();
  const password = useAskedPassword();
  const [begun, setBegun] = useState<Begun>();
  return (
    <Section
      title="Second factor"
      actions={user.has_second_factor && <Badge color="teal">on</Badge>}
    >
      {begun ? (
        <SetUpApp secondFactor={begun} onClose={() => setBegun(undefined)} />
      ) : user.has_second_factor ? (
        <Manage />
      ) : (
        <ActionForm
          action="Set up an app"
          run={async (call) => call("beginSecondFactor", { body: password.take() })}
          onDone={setBegun}
        >
          <Text size="sm">
            With an authenticator app, signing in needs a code of your phone besides your password
            or provider.
          </Text>
        </ActionForm>
      )}
    </Section>
  );
}

function Manage() {
  const password = useAskedPassword();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) {
    return (
      <Stack>
        <Done>The earlier codes no longer work.</Done>
        <RecoveryCodes codes={codes} />
        <Button variant="default" w="fit-content" onClick={() => setCodes(undefined)}>
          I have stored them
        </Button>
      </Stack>
    );
  }
  return (
    <Group gap="sm" align="flex-start">
      <ActionForm
        action="New recovery codes"
        run={async (call) => call("renewRecoveryCodes", { body: password.take() })}
        onDone={({ recovery_codes: renewed }) => setCodes(renewed)}
      />
      <ActionForm
        action="Remove"
        run={async (call) => call("removeSecondFactor", { body: password.take() })}
      />
    </Group>
  );
}

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <>
      <Text size="sm">
        Store these recovery codes where you find them without your phone. Each replaces a code,
        once. They are shown only now.
      </Text>
      <Copyable
        isBlock
        text={codes.join("\n")}
        label="Copy the recovery codes"
        testId="recovery-codes"
      />
    </>
  );
}

/** The second step: the app's secret, the recovery codes and a first code. */
function SetUpApp({ secondFactor, onClose }: { secondFactor: Begun; onClose: () => void }) {
  const { uri, recovery_codes: codes } = secondFactor;
  return (
    <ActionForm
      action="Turn on"
      run={(call, form) => call("confirmSecondFactor", { body: { code: field(form, "code") } })}
      onDone={onClose}
      onCancel={onClose}
    >
      <Text size="sm">
        Scan the code with your authenticator app, add the secret by hand, or{" "}
        <Anchor href={uri} size="sm" underline="always">
          open the app on this device
        </Anchor>
        .
      </Text>
      {/* Black on white in dark mode too, as scanners expect. */}
      <img
        src={`data:image/svg+xml,${encodeURIComponent(encodeQR(uri, "svg", { border: 4 }))}`}
        alt="QR code of the secret below"
        width={200}
        height={200}
        style={{ background: "#fff" }}
      />
      <Copyable
        text={new URL(uri).searchParams.get("secret") ?? ""}
        label="Copy the secret"
        testId="app-secret"
      />
      <RecoveryCodes codes={codes} />
      <CodeInput label="Code of the app" />
    </ActionForm>
  );
}
