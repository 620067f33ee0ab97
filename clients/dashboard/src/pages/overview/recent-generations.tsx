/** The latest generations, videos and images together. */
import { Anchor, Button, Card, Group, Title } from "@mantine/core";
import { Clapperboard } from "lucide-react";
import { Link } from "react-router";
import { useGenerations } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { Failure } from "../../components/failure.tsx";
import { GenerationTable } from "../../components/generation-table.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { useScope } from "../../session/scope.ts";

const COUNT = 5;

export function RecentGenerations() {
  const { to, may } = useScope();
  const videos = useGenerations({ kind: "video" }, COUNT);
  const images = useGenerations({ kind: "image" }, COUNT);
  const error = videos.error ?? images.error;
  const latest = [videos, images]
    .flatMap(({ data }) => data?.pages[0]?.data ?? [])
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at))
    .slice(0, COUNT);
  const isLoading = videos.isPending || images.isPending;
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
      {error ? (
        <Failure error={error} />
      ) : isLoading ? (
        <RowsLoading rows={COUNT} height={44} />
      ) : latest.length > 0 ? (
        <GenerationTable generations={latest} label="Recent generations" isShort />
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
      )}
    </Card>
  );
}
