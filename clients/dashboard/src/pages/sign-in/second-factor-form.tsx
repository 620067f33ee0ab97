/** The second step of signing in: a code of the authenticator app, or a recovery code. */
import { Anchor, Stack } from "@mantine/core";
import { useState } from "react";
import { BusyButton } from "../../components/form/busy-button.tsx";
import { CodeInput } from "../../components/code-input.tsx";
import { Failure } from "../../components/failure.tsx";
import { field, onSubmit } from "../../components/form-data.ts";
import { useCompleteSignIn } from "../../session/session.ts";
import { Form } from "../../components/form/form.tsx";
import { TextInput } from "../../components/form/fields.tsx";

export function SecondFactorForm({ onCancel }: { onCancel: () => void }) {
  const [kind, setKind] = useState<"app" | "recovery">("app");
  const complete = useCompleteSignIn();
  const isApp = kind === "app";
  return (
    <Form
      onSubmit={onSubmit((form) => complete.mutate({ kind, code: field(form, "code").trim() }))}
    >
      <Stack>
        {isApp ? (
          <CodeInput label="Code of your authenticator app" />
        ) : (
          <TextInput key="recovery" name="code" label="Recovery code" autoComplete="off" required />
        )}
        {complete.error && <Failure error={complete.error} />}
        <BusyButton type="submit" size="md" isBusy={complete.isPending}>
          Sign in
        </BusyButton>
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          onClick={() => setKind(isApp ? "recovery" : "app")}
        >
          {isApp ? "Use a recovery code" : "Use the app"}
        </Anchor>
        <Anchor component="button" type="button" size="sm" underline="always" onClick={onCancel}>
          Begin again
        </Anchor>
      </Stack>
    </Form>
  );
}
