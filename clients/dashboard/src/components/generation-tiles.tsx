/** Generations as pictures, each of which opens something. */
import { Card, Group, SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Generation } from "../api/client.ts";
import { Note, RelativeTime, StatusBadge, Words } from "./texts.tsx";
import { Thumbnail } from "./thumbnail.tsx";

type Props = {
  generations: readonly Generation[];
  /** Whether it is chosen, or shown elsewhere on the page. */
  isMarked: (id: string) => boolean;
  /** The link or button that opens it, with its picture and prompt. */
  opener: (generation: Generation, content: ReactNode) => ReactNode;
  /** What stands beside its status. */
  beside?: (generation: Generation) => ReactNode;
};

export function GenerationTiles({ generations, isMarked, opener, beside }: Props) {
  return (
    <SimpleGrid
      component="ul"
      minColWidth="min(200px, 44%)"
      spacing="sm"
      m={0}
      p={0}
      aria-label="Generations"
      style={{ listStyle: "none" }}
    >
      {generations.map((generation) => (
        <Card
          key={generation.id}
          component="li"
          padding="xs"
          bd={isMarked(generation.id) ? "1px solid var(--mantine-color-indigo-5)" : undefined}
        >
          {opener(
            generation,
            <>
              <Thumbnail generation={generation} width="fill" />
              <Text size="sm" lineClamp={2} mt={4}>
                {generation.input.prompt}
              </Text>
            </>,
          )}
          <Note>
            <Words text={generation.model} /> · <RelativeTime time={generation.created_at} />
          </Note>
          <Group justify="space-between" mt="auto">
            <StatusBadge status={generation.status} />
            {beside?.(generation)}
          </Group>
        </Card>
      ))}
    </SimpleGrid>
  );
}
