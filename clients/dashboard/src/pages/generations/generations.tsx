/** All generations of one kind, filtered by status and model; further pages load on demand. */
import { Button, Card, Center, Group, SegmentedControl, Select } from "@mantine/core";
import { Clapperboard, SearchX } from "lucide-react";
import { Link, useSearchParams } from "react-router";
import { useGenerations, useModels } from "../../data/queries.ts";
import type { GenerationFilter } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { GenerationTable } from "../../components/generation-table.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { useScope } from "../../session/scope.ts";

const STATUSES = {
  video: ["pending", "processing", "success", "failed", "canceled"],
  image: ["processing", "success", "failed"],
} as const;

export default function Generations() {
  const { to, may } = useScope();
  const [filter, setFilter] = useFilter();
  const models = useModels();
  const generations = useGenerations(filter);
  const isFiltered = filter.status !== undefined || filter.model !== undefined;
  return (
    <>
      <PageHead
        title="Generations"
        actions={
          may("createPlaygroundVideo") && (
            <Button component={Link} to={to("playground")}>
              New generation
            </Button>
          )
        }
      >
        Everything created with this mode's keys and in the playground, newest first.
      </PageHead>
      <Card padding="md">
        <Group mb="md" gap="sm">
          <SegmentedControl
            aria-label="Kind"
            value={filter.kind}
            onChange={(kind) => setFilter({ kind })}
            data={[
              { value: "video", label: "Videos" },
              { value: "image", label: "Images" },
            ]}
          />
          <Select
            aria-label="Status"
            placeholder="Any status"
            clearable
            w={160}
            data={STATUSES[filter.kind]}
            value={filter.status ?? null}
            onChange={(status) => setFilter({ ...filter, status: status ?? undefined })}
          />
          <Select
            aria-label="Model"
            placeholder="Any model"
            clearable
            w={220}
            data={models.data?.filter(({ kind }) => kind === filter.kind).map(({ id }) => id) ?? []}
            value={filter.model ?? null}
            onChange={(model) => setFilter({ ...filter, model: model ?? undefined })}
          />
        </Group>
        <QueryResult query={generations} loading={<RowsLoading rows={8} height={46} />}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length === 0) return <NoGenerations isFiltered={isFiltered} />;
            return <GenerationTable generations={all} label="Generations" />;
          }}
        </QueryResult>
        {generations.hasNextPage && (
          <Center mt="md">
            <Button
              variant="default"
              loading={generations.isFetchingNextPage}
              onClick={() => void generations.fetchNextPage()}
            >
              Show more
            </Button>
          </Center>
        )}
      </Card>
    </>
  );
}

function NoGenerations({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty icon={SearchX} title="No matches">
      No generation has this status and model.
    </Empty>
  ) : (
    <Empty icon={Clapperboard} title="No generations yet">
      Generations appear here as soon as they are accepted, with a picture once they are finished.
    </Empty>
  );
}

/** The filter is part of the URL, so that it survives a reload and can be shared. */
function useFilter(): [GenerationFilter, (filter: GenerationFilter) => void] {
  const [query, setQuery] = useSearchParams();
  const kind = query.get("kind") === "image" ? "image" : "video";
  const status = STATUSES[kind].find((one) => one === query.get("status"));
  const model = query.get("model") ?? undefined;
  const set = (filter: GenerationFilter) =>
    setQuery(
      Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined),
      { replace: true },
    );
  return [{ kind, ...(status && { status }), ...(model && { model }) }, set];
}
