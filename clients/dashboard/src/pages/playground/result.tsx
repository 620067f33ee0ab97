/** The outcome of the request: progress, then the video, the picture or the error. */
import { Anchor, Card, Group, Loader, Stack, Text, Title } from "@mantine/core";
import { Clapperboard } from "lucide-react";
import { Link } from "react-router";
import { useGeneration } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { GenerationOutcome } from "../../components/generation-outcome.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { useScope } from "../../session/scope.ts";
import type { Submit } from "./use-submit.ts";

export function Result({ submit }: { submit: Submit }) {
  const { to } = useScope();
  const created = submit.data;
  const view = useGeneration(created?.id);
  const generation = view.data?.generation ?? created;
  return (
    <Card component="section" aria-labelledby="result">
      <Group justify="space-between" mb="md" mih={26}>
        <Title order={2} id="result" fz={16}>
          Result
        </Title>
        {generation && !submit.isPending && (
          <Group gap="sm">
            <StatusBadge status={generation.status} />
            <Anchor component={Link} to={to(`generations/${generation.id}`)} size="sm">
              Details
            </Anchor>
          </Group>
        )}
      </Group>
      {submit.isPending ? (
        <Stack align="center" py={56} role="status">
          <Loader type="dots" />
          <Text size="sm" c="dimmed">
            Sending. A picture takes a few seconds.
          </Text>
        </Stack>
      ) : generation ? (
        <Stack>
          {view.error && <Failure error={view.error} />}
          <GenerationOutcome generation={generation} />
        </Stack>
      ) : (
        <Empty icon={Clapperboard} title="Your video or picture will play here">
          Choose a model, describe what you want to see, and press Generate.
        </Empty>
      )}
    </Card>
  );
}
