/** What was generated in the playground, newest first: to be shown again, or compared side by side. */
import { Card, Checkbox, Group, Text, Title, UnstyledButton } from "@mantine/core";
import { History } from "lucide-react";
import type { Generation } from "../../api/client.ts";
import { useGenerations } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Thumbnail } from "../../components/thumbnail.tsx";
import classes from "./playground.module.css";
import { MAX_COMPARED, type ShownRuns } from "./shown-runs.ts";

const COUNT = 12;

type Props = { shown: ShownRuns; onShow: (id: string) => void };

export function Runs({ shown, onShow }: Props) {
  const runs = useGenerations({ key: "none" }, COUNT);
  return (
    <Card component="section" aria-labelledby="runs">
      <Title order={2} id="runs" fz={16}>
        Runs
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        What this account has generated in the playground. Tick two or more to see them side by
        side.
      </Text>
      <QueryResult query={runs} loading={<RowsLoading rows={2} height={150} />}>
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data);
          if (all.length === 0) {
            return (
              <Empty icon={History} title="No runs yet">
                They stay here, also when you leave the page while one is running.
              </Empty>
            );
          }
          return (
            <ul className={classes.runs}>
              {all.map((run) => (
                <Run key={run.id} run={run} shown={shown} onShow={onShow} />
              ))}
            </ul>
          );
        }}
      </QueryResult>
      <ShowMore list={runs} label="Show earlier runs" />
    </Card>
  );
}

function Run({ run, shown, onShow }: Props & { run: Generation }) {
  const isCompared = shown.compared.includes(run.id);
  return (
    <li className={classes.run} data-shown={run.id === shown.result || undefined}>
      <UnstyledButton
        onClick={() => onShow(run.id)}
        aria-label={`Show the run: ${run.input.prompt}`}
      >
        <Thumbnail generation={run} width="fill" />
        <Text size="sm" lineClamp={2} mt={6}>
          {run.input.prompt}
        </Text>
      </UnstyledButton>
      <Text size="xs" c="dimmed" truncate>
        {run.model} · <RelativeTime time={run.created_at} />
      </Text>
      <Group justify="space-between" mt="auto">
        <StatusBadge status={run.status} />
        <Checkbox
          size="xs"
          label="Compare"
          aria-label={`Compare the run: ${run.input.prompt}`}
          checked={isCompared}
          disabled={!isCompared && shown.compared.length >= MAX_COMPARED}
          onChange={(event) => shown.compare(run.id, event.currentTarget.checked)}
        />
      </Group>
    </li>
  );
}
