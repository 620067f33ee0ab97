/** What was generated in the playground, newest first, to be shown again. */
import { Card, Text, Title, UnstyledButton } from "@mantine/core";
import { History } from "lucide-react";
import type { Generation } from "../../api/client.ts";
import { useGenerations } from "../../data/queries.ts";
import { DataList } from "../../components/data-list.tsx";
import { Empty } from "../../components/empty.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { Thumbnail } from "../../components/thumbnail.tsx";
import classes from "./playground.module.css";

const COUNT = 12;

type Props = { shownId: string | undefined; onShow: (id: string) => void };

export function Runs({ shownId, onShow }: Props) {
  const runs = useGenerations({ key: "none" }, COUNT);
  return (
    <Card component="section" aria-labelledby="runs">
      <Title order={2} id="runs" fz={16}>
        Runs
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        What this account has generated in the playground.
      </Text>
      <DataList
        list={runs}
        loading={<RowsLoading rows={2} height={150} />}
        more="Show earlier runs"
        empty={
          <Empty icon={History} title="No runs yet">
            They stay here, also when you leave the page while one is running.
          </Empty>
        }
      >
        {(all) => (
          <ul className={classes.runs}>
            {all.map((run) => (
              <Run key={run.id} run={run} shownId={shownId} onShow={onShow} />
            ))}
          </ul>
        )}
      </DataList>
    </Card>
  );
}

function Run({ run, shownId, onShow }: Props & { run: Generation }) {
  return (
    <li className={classes.run} data-shown={run.id === shownId || undefined}>
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
      <StatusBadge status={run.status} />
    </li>
  );
}
