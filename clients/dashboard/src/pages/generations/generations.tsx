/** Videos and images in one list, as a table or a gallery; searched and filtered; further pages load on demand. */
import { Button, Card, Center, SegmentedControl, Text } from "@mantine/core";
import { Clapperboard, LayoutGrid, SearchX, TableProperties } from "lucide-react";
import { Link } from "react-router";
import { useGenerations } from "../../data/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { GenerationTable } from "../../components/generation-table.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { useScope } from "../../data/scope.ts";
import { Filters } from "./filters.tsx";
import { Gallery } from "./gallery.tsx";
import { isFiltered, toQuery, useFilter, type ListFilter } from "./use-filter.ts";

export default function Generations() {
  const { to, may } = useScope();
  const [filter, change] = useFilter();
  const generations = useGenerations(toQuery(filter));
  return (
    <>
      <PageHead
        title="Generations"
        actions={
          <>
            <ViewSwitch view={filter.view} onChange={(view) => change({ view })} />
            {may("createPlaygroundVideo") && (
              <Button component={Link} to={to("playground")}>
                New generation
              </Button>
            )}
          </>
        }
      >
        Everything created with this mode's keys and in the playground, newest first.
      </PageHead>
      <Card padding="md">
        <Filters filter={filter} onChange={change} />
        <QueryResult query={generations} loading={<RowsLoading rows={8} height={46} />}>
          {({ pages }) => {
            const all = pages.flatMap(({ data }) => data);
            if (all.length === 0) return <NoGenerations filter={filter} />;
            return filter.view === "gallery" ? (
              <Gallery generations={all} />
            ) : (
              <GenerationTable generations={all} label="Generations" />
            );
          }}
        </QueryResult>
        <ShowMore list={generations}>
          {(filter.prompt || filter.key) && (
            <Text size="sm" c="dimmed">
              A search looks at 2,000 generations at a time.
            </Text>
          )}
        </ShowMore>
      </Card>
    </>
  );
}

type ViewProps = { view: ListFilter["view"]; onChange: (view: ListFilter["view"]) => void };

function ViewSwitch({ view, onChange }: ViewProps) {
  return (
    <SegmentedControl
      aria-label="View"
      value={view}
      onChange={(chosen) => onChange(chosen === "gallery" ? "gallery" : "table")}
      data={[
        { value: "table", label: <ViewLabel icon={TableProperties} text="Table" /> },
        { value: "gallery", label: <ViewLabel icon={LayoutGrid} text="Gallery" /> },
      ]}
    />
  );
}

function ViewLabel({ icon: Icon, text }: { icon: typeof LayoutGrid; text: string }) {
  return (
    <Center style={{ gap: 6 }}>
      <Icon size={14} aria-hidden />
      <span>{text}</span>
    </Center>
  );
}

function NoGenerations({ filter }: { filter: ListFilter }) {
  return isFiltered(filter) ? (
    <Empty icon={SearchX} title="No matches">
      No generation matches the search and all the filters.
    </Empty>
  ) : (
    <Empty icon={Clapperboard} title="No generations yet">
      Generations appear here as soon as they are accepted, with a picture once they are finished.
    </Empty>
  );
}
