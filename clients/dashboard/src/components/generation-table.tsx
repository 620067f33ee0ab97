/** The columns of tables of generations: picture, prompt, model, status, Tokens and time. */
import { Anchor, Group, Progress, Stack } from "@mantine/core";
import { Link } from "react-router";
import type { Generation } from "../api/client.ts";
import { isFinished } from "../data/generation.ts";
import { useScope } from "../data/scope.ts";
import { tokens } from "../data/value-format.ts";
import type { Columns } from "./data-table.tsx";
import { Note, RelativeTime, StatusBadge, Words } from "./texts.tsx";
import { Thumbnail } from "./thumbnail.tsx";

export const GENERATION_COLUMNS: Columns<Generation> = [
  { head: "Generation", cell: (generation) => <Title generation={generation} /> },
  { head: "Model", width: 190, from: 800, cell: ({ model }) => <Words text={model} /> },
  { head: "Status", width: 122, from: 500, cell: statusOf, below: true },
  { head: "Tokens", width: 90, isRight: true, from: 500, cell: ({ credits }) => tokens(credits) },
  { head: "Created", time: ({ created_at: at }) => at, from: 500, below: factsOf },
];

function Title({ generation }: { generation: Generation }) {
  const { to } = useScope();
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
        <Note truncate className="mono">
          {generation.id}
        </Note>
      </Stack>
    </Group>
  );
}

/** What there is no column for in a narrow table. */
function factsOf({ created_at: at, credits, model }: Generation) {
  return (
    <>
      <RelativeTime time={at} /> · {tokens(credits)} Tokens · <Words text={model} />
    </>
  );
}

function statusOf(generation: Generation) {
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
