/** A table of generations: picture, prompt, model, status, Tokens and time. */
import { Anchor, Group, Progress, Stack, Table, Text } from "@mantine/core";
import { Link } from "react-router";
import type { Generation } from "../api/client.ts";
import { isFinished } from "../data/generation.ts";
import { useFromList } from "../data/list-query.ts";
import { useScope } from "../data/scope.ts";
import { tokens } from "./value-format.ts";
import { OpeningRow } from "./opening-row.tsx";
import { SelectAllCell, SelectCell, type TableSelection } from "./select-cells.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import { RelativeTime } from "./relative-time.tsx";
import columns from "./columns.module.css";

type Props = {
  generations: readonly Generation[];
  label: string;
  isShort?: boolean;
  selection?: TableSelection<Generation>;
};

export function GenerationTable({ generations, label, isShort = false, selection }: Props) {
  return (
    <div className={columns.table}>
      <Table aria-label={label} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <SelectAllCell shown={generations} selection={selection} />
            <Table.Th>Generation</Table.Th>
            {!isShort && (
              <Table.Th w={190} className={columns.from800}>
                Model
              </Table.Th>
            )}
            <Table.Th w={122} className={columns.from400}>
              Status
            </Table.Th>
            <Table.Th w={90} ta="right" className={isShort ? columns.from400 : columns.from620}>
              Tokens
            </Table.Th>
            {!isShort && (
              <Table.Th w={120} className={columns.from620}>
                Created
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {generations.map((generation) => (
            <Row
              key={generation.id}
              generation={generation}
              isShort={isShort}
              selection={selection}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

type RowProps = {
  generation: Generation;
  isShort: boolean;
  selection: TableSelection<Generation> | undefined;
};

function Row({ generation, isShort, selection }: RowProps) {
  return (
    <OpeningRow>
      <SelectCell entry={generation} label={generation.input.prompt} selection={selection} />
      <Table.Td>
        <Title generation={generation} isShort={isShort} />
      </Table.Td>
      {!isShort && (
        <Table.Td className={columns.from800}>
          <Text size="sm" truncate>
            {generation.model}
          </Text>
        </Table.Td>
      )}
      <Table.Td className={columns.from400}>
        <Status generation={generation} />
      </Table.Td>
      <Table.Td ta="right" className={`number ${isShort ? columns.from400 : columns.from620}`}>
        {tokens(generation.credits)}
      </Table.Td>
      {!isShort && (
        <Table.Td className={columns.from620}>
          <RelativeTime time={generation.created_at} />
        </Table.Td>
      )}
    </OpeningRow>
  );
}

/** The picture and the prompt, and below it what there is no column for. */
function Title({ generation, isShort }: Pick<RowProps, "generation" | "isShort">) {
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
          <Text size="xs" c="dimmed" className={columns.below620}>
            <RelativeTime time={generation.created_at} /> · {tokens(generation.credits)} Tokens ·{" "}
            {generation.model}
          </Text>
        )}
        <div className={columns.below400}>
          <Status generation={generation} />
        </div>
      </Stack>
    </Group>
  );
}

function Status({ generation }: Pick<RowProps, "generation">) {
  return (
    <>
      <StatusBadge status={generation.status} />
      {generation.error && (
        <Text size="xs" c="dimmed" mt={2} style={{ overflowWrap: "anywhere" }}>
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
