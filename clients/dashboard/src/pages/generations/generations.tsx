/** Videos and images in one list, as a table or a gallery; searched and filtered; further pages load on demand. */
import { Button, Card, Center, SegmentedControl, Text } from "@mantine/core";
import { Clapperboard, LayoutGrid, TableProperties } from "lucide-react";
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { DataList, Empty, RowsLoading } from "../../components/states.tsx";
import { GenerationTable } from "../../components/generation-table.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { dateTime } from "../../components/value-format.ts";
import { useGenerations } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { useSelection } from "../../data/use-selection.ts";
import { Filters } from "./filters.tsx";
import { Gallery } from "./gallery.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { isFiltered, NO_FILTER, toQuery, useFilter, type ListFilter } from "./use-filter.ts";

/** The bar of what is selected sticks to the window. A card that scrolls its own content would keep it at its end. */
const NOT_SCROLLED = { overflowX: "visible", overflowY: "visible" } as const;

export default function Generations() {
  const { to, may } = useScope();
  const [filter, change] = useFilter();
  const generations = useGenerations(toQuery(filter));
  const pages = generations.data?.pages ?? [];
  const selection = useSelection(pages.flatMap(({ data }) => data));
  const isSearch = Boolean(filter.search ?? filter.key);
  const isNarrowed = isSearch || isFiltered(filter);
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
        {selection.selected.length > 0 && <SelectionBar selection={selection} />}
        <DataList
          list={generations}
          loading={<RowsLoading rows={8} height={46} />}
          isSearch={isSearch}
          onClear={isNarrowed ? () => change(NO_FILTER) : undefined}
          empty={
            <Empty icon={Clapperboard} title="No generations yet">
              Generations appear here as soon as they are accepted, with a picture once they are
              finished.
            </Empty>
          }
        >
          {(shown) =>
            filter.view === "gallery" ? (
              <Gallery generations={shown} selection={selection} />
            ) : (
              <GenerationTable generations={shown} label="Generations" selection={selection} />
            )
          }
        </DataList>
        {isSearch && pages.length > 0 && <Searched last={pages.at(-1)} />}
      </Card>
    </>
  );
}

/** How far a search came. */
function Searched({
  last,
}: {
  last: Pick<Schemas["GenerationList"], "searched_back_to"> | undefined;
}) {
  const { mode } = useScope();
  const backTo = last?.searched_back_to;
  return (
    <Text size="sm" c="dimmed" mt="md" ta="center" role="status">
      {backTo
        ? `Searched the ${mode} generations back to ${dateTime(backTo)}.`
        : `Searched all ${mode} generations.`}
    </Text>
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
