/** Videos and images in one list, as a table or a gallery; searched and filtered; further pages load on demand. */
import { Button, Card, Center, SegmentedControl } from "@mantine/core";
import { Clapperboard, LayoutGrid, TableProperties } from "lucide-react";
import { Link } from "react-router";
import type { Generation } from "../../api/client.ts";
import { useGenerations, type GenerationFilter } from "../../data/queries.ts";
import { CsvButton } from "../../components/csv-button.tsx";
import { Empty } from "../../components/empty.tsx";
import { GenerationTable } from "../../components/generation-table.tsx";
import { ListTotals } from "../../components/list-totals.tsx";
import { RowsLoading } from "../../components/loading.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { QueryResult } from "../../components/query-result.tsx";
import { Searched } from "../../components/searched.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { useScope } from "../../data/scope.ts";
import { Filters } from "./filters.tsx";
import { Gallery } from "./gallery.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { useSelection, type Selection } from "../../data/use-selection.ts";
import { useTotals } from "./use-totals.ts";
import { isFiltered, NO_FILTER, toQuery, useFilter, type ListFilter } from "./use-filter.ts";

/** The bar of what is selected sticks to the window. A card that scrolls its own content would keep it at its end. */
const NOT_SCROLLED = { overflowX: "visible", overflowY: "visible" } as const;

export default function Generations() {
  const { to, mode, may } = useScope();
  const [filter, change] = useFilter();
  const query = toQuery(filter);
  const generations = useGenerations(query);
  const shown = generations.data?.pages.flatMap(({ data }) => data) ?? [];
  const selection = useSelection(JSON.stringify([mode, query]), shown);
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
      <Card padding="md" style={NOT_SCROLLED}>
        <Filters filter={filter} onChange={change} />
        <Totals filter={query} />
        {selection.selected.length > 0 && (
          <SelectionBar
            selection={selection}
            filter={query}
            hasMore={generations.hasNextPage && selection.selected.length <= shown.length}
          />
        )}
        <QueryResult query={generations} loading={<RowsLoading rows={8} height={46} />}>
          {({ pages }) => (
            <>
              <Shown
                generations={shown}
                filter={filter}
                isAll={!generations.hasNextPage}
                onClear={() => change(NO_FILTER)}
                selection={selection}
              />
              {(filter.search || filter.key) && (
                <Searched pages={pages} text={filter.search} isFiltered={isFiltered(filter)} />
              )}
            </>
          )}
        </QueryResult>
        <ShowMore
          list={generations}
          label={filter.search || filter.key ? "Search older" : "Show more"}
        />
      </Card>
    </>
  );
}

function Totals({ filter }: { filter: GenerationFilter }) {
  const { queryKey, queryFn } = useTotals(filter);
  return (
    <ListTotals nouns={["generation", "generations"]} queryKey={queryKey} read={queryFn}>
      <CsvButton name="these generations" file="generations.csv" filter={filter} />
    </ListTotals>
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

type ShownProps = {
  generations: readonly Generation[];
  filter: ListFilter;
  /** Whether there is nothing older to search. */
  isAll: boolean;
  onClear: () => void;
  selection: Selection;
};

function Shown({ generations, filter, isAll, onClear, selection }: ShownProps) {
  if (generations.length === 0) {
    return <NoGenerations filter={filter} isAll={isAll} onClear={onClear} />;
  }
  return filter.view === "gallery" ? (
    <Gallery generations={generations} selection={selection} />
  ) : (
    <GenerationTable generations={generations} label="Generations" selection={selection} />
  );
}

function NoGenerations({
  filter,
  isAll,
  onClear,
}: Pick<ShownProps, "filter" | "isAll" | "onClear">) {
  return filter.search || isFiltered(filter) ? (
    <NoMatches title={isAll ? "No matches" : "Nothing found so far"} onClear={onClear} />
  ) : (
    <Empty icon={Clapperboard} title="No generations yet">
      Generations appear here as soon as they are accepted, with a picture once they are finished.
    </Empty>
  );
}
