/** The chosen runs side by side: outcome, prompt and settings. */
import { Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { Generation } from "../../api/client.ts";
import { useGeneration } from "../../data/queries.ts";
import { FoldedText } from "../../components/folded-text.tsx";
import { GenerationOutcome } from "../../components/generation-outcome.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import type { ShownRuns } from "./shown-runs.ts";

type LoadInput = (input: Generation["input"]) => void;

export function Comparison({ shown, onLoad }: { shown: ShownRuns; onLoad: LoadInput }) {
  return (
    <Card component="section" aria-labelledby="comparison">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="comparison" fz={16}>
          Side by side
        </Title>
        <Button variant="default" size="xs" onClick={shown.endComparison}>
          End the comparison
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: shown.compared.length }} spacing="lg">
        {shown.compared.map((id) => (
          <ComparedRun key={id} id={id} onLoad={onLoad} onRemove={() => shown.compare(id, false)} />
        ))}
      </SimpleGrid>
    </Card>
  );
}

type ComparedProps = { id: string; onLoad: LoadInput; onRemove: () => void };

function ComparedRun({ id, onLoad, onRemove }: ComparedProps) {
  const view = useGeneration(id);
  return (
    <Stack gap="sm" component="article">
      <QueryResult query={view} loading={<Skeleton height={220} radius="md" />}>
        {({ generation }) => (
          <>
            <GenerationOutcome generation={generation} />
            <FoldedText size="sm" text={generation.input.prompt} />
            <Text size="xs" c="dimmed">
              {generation.model} · {settingsOf(generation.input)}
            </Text>
            <Button
              variant="light"
              size="xs"
              w="fit-content"
              onClick={() => onLoad(generation.input)}
            >
              Use these settings
            </Button>
          </>
        )}
      </QueryResult>
      <Button variant="subtle" color="gray" size="xs" w="fit-content" onClick={onRemove}>
        Remove from the comparison
      </Button>
    </Stack>
  );
}

function settingsOf(input: Generation["input"]): string {
  if ("duration" in input) return `${input.duration} s · ${input.aspect_ratio}`;
  return input.seed === undefined ? input.size : `${input.size} · seed ${input.seed}`;
}
