/** The secret that signs this mode's webhooks: fetched only when shown. */
import { Alert, Button, Code } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Eye, EyeOff, RefreshCw } from "lucide-react";
import { DialogButton } from "../../components/dialog.tsx";
import { Section } from "../../components/page-head.tsx";
import { Failure } from "../../components/states.tsx";
import { creatorName, Note, Copyable } from "../../components/texts.tsx";
import { useAnswer } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { dateTime } from "../../data/value-format.ts";

export function SigningSecret() {
  const { mode, may } = useScope();
  const [isShown, visibility] = useDisclosure(false);
  const secret = useAnswer("retrieveWebhookSecret", {}, { isEnabled: isShown, isSecret: true });
  const visible = isShown ? secret.data : undefined;
  return (
    <Section
      title={`Signing secret, ${mode} mode`}
      note="Use it to verify every webhook, as Standard Webhooks describes."
      actions={
        <>
          <Button
            variant="default"
            size="xs"
            leftSection={isShown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
            onClick={visibility.toggle}
          >
            {isShown ? "Hide" : "Show"}
          </Button>
          {may("rotateWebhookSecret") && (
            <DialogButton
              label="Rotate"
              size="xs"
              icon={<RefreshCw size={14} aria-hidden />}
              title="Rotate the signing secret?"
              text="A new secret signs from now on. The old one also signs for 24 hours, so that you can change over without losing an event."
              action="Rotate"
              isDangerous
              run={(call) => call("rotateWebhookSecret", {})}
              onDone={visibility.open}
            />
          )}
        </>
      }
    >
      {secret.error && isShown && (
        <Failure error={secret.error} retry={() => void secret.refetch()} />
      )}
      {visible ? (
        <Copyable text={visible.secret} label="Copy the secret" testId="secret" />
      ) : (
        <Code>whsec_••••••••••••••••••••••••</Code>
      )}
      {visible?.created_by && (
        <Note mt="xs">
          Rotated by {creatorName(visible.created_by)} on {dateTime(visible.created_at)}.
        </Note>
      )}
      {visible?.previous_expires_at && (
        <Alert mt="sm" color="yellow">
          The previous secret also signs until {dateTime(visible.previous_expires_at)}.
        </Alert>
      )}
    </Section>
  );
}
