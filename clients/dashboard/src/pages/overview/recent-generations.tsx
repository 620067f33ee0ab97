/** The latest generations, videos and images together. */
import { Anchor, Button, Card, Group, Title } from "@mantine/core";
import { Clapperboard } from "lucide-react";
import { Link } from "react-router";
import { useGenerations } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { GenerationTable } from "../../components/generation-table.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useScope } from "../../data/scope.ts";

export const RECENT_COUNT = 5;

export function RecentGenerations() {
  const { to, may } = useScope();
  const generations = useGenerations({}, RECENT_COUNT);
  return (
    <Card component="section" aria-labelledby="recent" h="100%">
      <Group justify="space-between" mb="sm">
        <Title order={2} id="recent" fz={16}>
          Recent generations
        </Title>
        <Anchor component={Link} to={to("generations")} size="sm">
          See all
        </Anchor>
      </Group>
      <QueryResult query={generations} loading={<RowsLoading rows={RECENT_COUNT} height={44} />}>
        {({ pages: [latest] }) =>
          latest !== undefined && latest.data.length > 0 ? (
            <GenerationTable generations={latest.data} label="Recent generations" isShort />
          ) : (
            <Empty
              icon={Clapperboard}
              title="No generations yet"
              action={
                may("createPlaygroundVideo") && (
                  <Button component={Link} to={to("playground")} variant="light" mt="xs">
                    Open the playground
                  </Button>
                )
              }
            >
              Create a first video or picture in the playground, or with the example request.
            </Empty>
          )
        }
      </QueryResult>
    </Card>
  );
}
