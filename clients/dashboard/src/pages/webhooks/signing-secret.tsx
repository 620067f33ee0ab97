/** The secret that signs this mode's webhooks: fetched only when shown. */
import { Alert, Button, Card, Code, Group, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Eye, EyeOff, RefreshCw } from "lucide-react";
import { api, unwrap } from "../../api/client.ts";
import { queryKeys } from "../../data/queries.ts";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { CopyText, creatorName } from "../../components/texts.tsx";
import { Failure } from "../../components/states.tsx";
import { dateTime } from "../../components/value-format.ts";
import { useScope } from "../../data/scope.ts";

const HIDDEN = "whsec_••••••••••••••••••••••••";

export function SigningSecret() {
  const { mode, keyPrefix, params, may } = useScope();
  const client = useQueryClient();
  const [isShown, visibility] = useDisclosure(false);
  const [isConfirming, confirming] = useDisclosure(false);
  const secret = useQuery({
    queryKey: queryKeys.webhookSecret(keyPrefix),
    enabled: isShown,
    queryFn: () => unwrap(api.GET("/accounts/{account_id}/webhooks/secret", { params })),
    gcTime: 0,
  });
  const rotate = useMutation({
    mutationFn: () => unwrap(api.POST("/accounts/{account_id}/webhooks/secret/rotate", { params })),
    onSuccess: (rotated) => {
      client.setQueryData(queryKeys.webhookSecret(keyPrefix), rotated);
      visibility.open();
      confirming.close();
    },
  });
  const visibleSecret = isShown ? secret.data : undefined;
  return (
    <Card component="section" aria-labelledby="secret">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="secret" fz={16}>
          Signing secret, {mode} mode
        </Title>
        <Group gap="sm">
          <Button
            variant="default"
            size="xs"
            leftSection={isShown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
            onClick={visibility.toggle}
          >
            {isShown ? "Hide" : "Show"}
          </Button>
          {may("rotateWebhookSecret") && (
            <Button
              variant="default"
              size="xs"
              leftSection={<RefreshCw size={14} aria-hidden />}
              onClick={confirming.open}
            >
              Rotate
            </Button>
          )}
        </Group>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        Use it to verify every webhook, as Standard Webhooks describes.
      </Text>
      {secret.error && isShown ? (
        <Failure error={secret.error} retry={() => void secret.refetch()} />
      ) : (
        <Group gap="xs" wrap="nowrap">
          <Code fz={13} px="sm" py={8} style={{ overflowWrap: "anywhere" }} data-testid="secret">
            {visibleSecret?.secret ?? HIDDEN}
          </Code>
          {visibleSecret && <CopyText value={visibleSecret.secret} label="Copy the secret" />}
        </Group>
      )}
      {visibleSecret?.created_by && (
        <Text size="xs" c="dimmed" mt="xs">
          Rotated by {creatorName(visibleSecret.created_by)} on {dateTime(visibleSecret.created_at)}
          .
        </Text>
      )}
      {visibleSecret?.previous_expires_at && (
        <Alert mt="sm" color="amber">
          The previous secret also signs until {dateTime(visibleSecret.previous_expires_at)}.
        </Alert>
      )}
      <ConfirmDialog
        isOpen={isConfirming}
        title="Rotate the signing secret?"
        action="Rotate"
        isPending={rotate.isPending}
        error={rotate.error}
        onConfirm={() => rotate.mutate()}
        onClose={confirming.close}
      >
        A new secret signs from now on. The old one also signs for 24 hours, so that you can change
        over without losing an event.
      </ConfirmDialog>
    </Card>
  );
}
