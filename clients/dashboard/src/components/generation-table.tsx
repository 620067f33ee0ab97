/** A table of generations: picture, prompt, model, status, Tokens and time. */
import { Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Generation } from "../api/client.ts";
import { isFinished } from "../data/generation.ts";
import { useFromList } from "../data/url-query.ts";
import { useScope } from "../data/scope.ts";
import type { Selection } from "../data/use-selection.ts";
import { Below, DataTable } from "./data-table.tsx";
import { RelativeTime, StatusBadge } from "./texts.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import { tokens } from "./value-format.ts";

type Props = {
  generations: readonly Generation[];
  label: string;
  isShort?: boolean;
  selection?: Selection<Generation>;
};

export function GenerationTable({ generations, label, isShort = false, selection }: Props) {
  return (
    <DataTable
      label={label}
      rows={generations}
      keyOf={({ id }) => id}
      isOpening
      selection={selection && { ...selection, nameOf: ({ input }) => input.prompt }}
      columns={[
        { head: "Generation", cell: (one) => <Title generation={one} isShort={isShort} /> },
        !isShort && {
          head: "Model",
          width: 190,
          from: 800,
          cell: ({ model }) => (
            <Text size="sm" truncate>
              {model}
            </Text>
          ),
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
      ]}
    />
  );
}

/** The picture and the prompt, and below it what there is no column for. */
function Title({ generation, isShort }: { generation: Generation; isShort: boolean }) {
  const { to } = useScope();
  const fromList = useFromList();
  return (
    <Group gap="sm" wrap="nowrap">
      <Thumbnail generation={generation} />
      <Stack gap={0} miw={0} flex={1}>
        <Anchor
          component={Link}
          to={to(`generations/${generation.id}`, generation.mode)}
          state={fromList}
          size="sm"
          fw={550}
          c="var(--mantine-color-text)"
          lineClamp={2}
        >
          {generation.input.prompt}
        </Anchor>
        <Text size="xs" c="dimmed" truncate>
          {isShort ? (
            <>
              <RelativeTime time={generation.created_at} /> · {generation.model}
            </>
          ) : (
            <span className="mono">{generation.id}</span>
          )}
        </Text>
        {!isShort && (
          <Below width={620}>
            <Text size="xs" c="dimmed">
              <RelativeTime time={generation.created_at} /> · {tokens(generation.credits)} Tokens ·{" "}
              {generation.model}
            </Text>
          </Below>
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
        <Text size="xs" c="dimmed" mt={2}>
          {generation.error.code}
        </Text>
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
