/** The secret that signs webhooks of this mode: fetched when it is to be shown, and replaced by an owner. */
import { Alert, Button, Card, Code, Group, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Eye, EyeOff, RefreshCw } from "lucide-react";
import { answered, api } from "../../api/client.ts";
import { keys } from "../../data/keys.ts";
import { Confirm } from "../../components/confirm.tsx";
import { Copied } from "../../components/copy-button.tsx";
import { Failure } from "../../components/failure.tsx";
import { exact } from "../../components/numbers.ts";
import { usePlace } from "../../session/scope.ts";

const HIDDEN = "whsec_••••••••••••••••••••••••••••••••";

export function Secret() {
  const { account, mode, scope, params } = usePlace();
  const client = useQueryClient();
  const [isShown, shown] = useDisclosure(false);
  const [isAsking, asking] = useDisclosure(false);
  const secret = useQuery({
    queryKey: keys.webhookSecret(scope),
    enabled: isShown,
    queryFn: () => answered(api.GET("/accounts/{account_id}/webhooks/secret", { params })),
    gcTime: 0,
  });
  const rotate = useMutation({
    mutationFn: () =>
      answered(api.POST("/accounts/{account_id}/webhooks/secret/rotate", { params })),
    onSuccess: (made) => {
      client.setQueryData(keys.webhookSecret(scope), made);
      shown.open();
      asking.close();
    },
  });
  const kept = isShown ? secret.data : undefined;
  return (
    <Card component="section" aria-labelledby="secret">
      <Group justify="space-between" mb={4}>
        <Title order={2} id="secret" fz={16}>
          Signing secret, {mode} mode
        </Title>
        <Group gap="sm">
          <Button
            variant="default"
            size="xs"
            leftSection={isShown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
            onClick={shown.toggle}
          >
            {isShown ? "Hide" : "Show"}
          </Button>
          {account.role === "owner" && (
            <Button
              variant="default"
              size="xs"
              leftSection={<RefreshCw size={14} aria-hidden />}
              onClick={asking.open}
            >
              Rotate
            </Button>
          )}
        </Group>
      </Group>
      <Text size="sm" c="dimmed" mb="sm">
        Verify every webhook with it, as Standard Webhooks describes.
      </Text>
      {secret.error && isShown ? (
        <Failure error={secret.error} retry={() => void secret.refetch()} />
      ) : (
        <Group gap="xs" wrap="nowrap">
          <Code fz={13} px="sm" py={8} style={{ overflowWrap: "anywhere" }} data-testid="secret">
            {kept?.secret ?? HIDDEN}
          </Code>
          {kept && <Copied value={kept.secret} label="Copy the secret" />}
        </Group>
      )}
      {kept?.previous_expires_at && (
        <Alert mt="sm" color="amber">
          The secret before this one signs along until {exact(kept.previous_expires_at)}.
        </Alert>
      )}
      <Confirm
        isOpen={isAsking}
        title="Rotate the signing secret?"
        action="Rotate"
        isPending={rotate.isPending}
        error={rotate.error}
        onConfirm={() => rotate.mutate()}
        onClose={asking.close}
      >
        A new secret signs from now on; the old one signs along for 24 hours, so that you can change
        over without losing an event.
      </Confirm>
    </Card>
  );
}
