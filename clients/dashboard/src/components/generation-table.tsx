/** The columns of tables of generations: picture, prompt, model, status, Tokens and time. */
import { Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Generation } from "../api/client.ts";
import { isFinished } from "../data/generation.ts";
import { useScope } from "../data/scope.ts";
import { tokens } from "../data/value-format.ts";
import { Below, type Column } from "./data-table.tsx";
import { Note, RelativeTime, StatusBadge, Words } from "./texts.tsx";
import { Thumbnail } from "./thumbnail.tsx";

export function generationColumns(isShort = false): (Column<Generation> | false)[] {
  return [
    { head: "Generation", cell: (one) => <Title generation={one} isShort={isShort} /> },
    !isShort && {
      head: "Model",
      width: 190,
      from: 800,
      cell: ({ model }) => <Words text={model} />,
    },
    {
      head: "Status",
      width: 122,
      from: 400,
      cell: (generation) => <Status generation={generation} />,
    },
    {
      head: "Tokens",
      width: 90,
      isRight: true,
      from: isShort ? 400 : 620,
      cell: ({ credits }) => tokens(credits),
    },
    !isShort && {
      head: "Created",
      width: 120,
      from: 620,
      cell: ({ created_at: at }) => <RelativeTime time={at} />,
    },
  ];
}

/** The picture and the prompt, and below it what there is no column for. */
function Title({ generation, isShort }: { generation: Generation; isShort: boolean }) {
  const { to } = useScope();
  const facts = (
    <Note>
      <RelativeTime time={generation.created_at} /> · {tokens(generation.credits)} Tokens ·{" "}
      <Words text={generation.model} />
    </Note>
  );
  return (
    <Group gap="sm" wrap="nowrap">
      <Thumbnail generation={generation} />
      <Stack gap={0} miw={0} flex={1}>
        <Anchor
          component={Link}
          to={to(`generations/${generation.id}`, generation.mode)}
          size="sm"
          fw={550}
          c="var(--mantine-color-text)"
          lineClamp={2}
        >
          {generation.input.prompt}
        </Anchor>
        {isShort ? (
          facts
        ) : (
          <>
            <Text size="xs" c="dimmed" truncate className="mono">
              {generation.id}
            </Text>
            <Below width={620}>{facts}</Below>
          </>
        )}
        <Below width={400}>
          <Status generation={generation} />
        </Below>
      </Stack>
    </Group>
  );
}

function Status({ generation }: { generation: Generation }) {
  return (
    <>
      <StatusBadge status={generation.status} />
      {generation.error && (
        <Note mt={2}>
          <Words text={generation.error.code} />
        </Note>
      )}
      {!isFinished(generation) && (
        <Progress
          mt={6}
          size="xs"
          value={generation.progress}
          aria-label={`Progress of ${generation.id}`}
        />
      )}
    </>
  );
}
