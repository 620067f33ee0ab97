/** A generation's state: progress with a cancel button, the output, or the error. */
import { Alert, Group, Progress, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleSlash } from "lucide-react";
import { BusyButton } from "./form/busy-button.tsx";
import { api, unwrap, type Generation } from "../api/client.ts";
import { isFinished } from "../data/generation.ts";
import { queryKeys } from "../data/query-keys.ts";
import { useScope } from "../data/scope.ts";
import { Failure } from "./failure.tsx";
import { Output } from "./output.tsx";

export function GenerationOutcome({ generation }: { generation: Generation }) {
  if (!isFinished(generation)) return <Unfinished generation={generation} />;
  if (generation.status === "canceled") {
    return (
      <Alert color="gray" icon={<CircleSlash aria-hidden />} title="Canceled">
        All reserved Tokens were restored.
      </Alert>
    );
  }
  if (generation.error) {
    return (
      <Alert color="red" icon={<CircleAlert aria-hidden />} title={generation.error.code}>
        {generation.error.message} The reserved Tokens were restored.
      </Alert>
    );
  }
  return <Output generation={generation} />;
}

function Unfinished({ generation }: { generation: Generation }) {
  const { keyPrefix, params, may } = useScope();
  const client = useQueryClient();
  const path = { ...params.path, id: generation.id };
  const cancel = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST("/accounts/{account_id}/generations/{id}/cancel", {
          params: { ...params, path },
        }),
      ),
    onSettled: () =>
      client.invalidateQueries({ queryKey: queryKeys.generation(keyPrefix, generation.id) }),
  });
  return (
    <Stack py="xl">
      <Group justify="space-between">
        <Text size="sm" role="status">
          {generation.status === "pending" ? "Waiting to start" : "Generating"}
        </Text>
        <Text size="sm" c="dimmed" className="number">
          {generation.progress} %
        </Text>
      </Group>
      <Progress
        value={generation.progress}
        animated
        size="lg"
        aria-label="Progress of the generation"
      />
      {cancel.error && <Failure error={cancel.error} />}
      {may("cancelGeneration") && (
        <BusyButton
          variant="default"
          w="fit-content"
          isBusy={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel
        </BusyButton>
      )}
    </Stack>
  );
}
