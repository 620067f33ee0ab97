/** Videos and images in one list, as a table or a gallery; searched and filtered; further pages load on demand. */
import { Anchor, Button, Card, Checkbox, SegmentedControl, Text } from "@mantine/core";
import { Clapperboard } from "lucide-react";
import { Link, useNavigate } from "react-router";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Schemas } from "../../api/client.ts";
import { WITH_BAR } from "../../components/bulk.tsx";
import { DataList, DataTable } from "../../components/data-table.tsx";
import {
  FilterFields,
  keyOptions,
  optionsOf,
  useFilters,
} from "../../components/filter-fields.tsx";
import { GENERATION_COLUMNS } from "../../components/generation-table.tsx";
import { GenerationTiles } from "../../components/generation-tiles.tsx";
import { PageHead } from "../../components/page-head.tsx";
import { Empty, RowsLoading } from "../../components/states.tsx";
import { useApiKeys, useGenerations, useModels } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import { pageOfId } from "../../data/url.ts";
import { useSelection } from "../../data/use-selection.ts";
import { dateTime } from "../../data/value-format.ts";
import { keep, useKept } from "../../session/kept.ts";
import { SelectionBar } from "./selection-bar.tsx";

const STATUSES = ["pending", "processing", "success", "failed", "canceled"];
const KEPT_VIEW = "generations view";

export default function Generations() {
  const { to, may } = useScope();
  const filters = useGenerationFilters();
  const view = useKept<string>(KEPT_VIEW) ?? "table";
  const isSearch = Boolean(filters.query.search ?? filters.query.key);
  const generations = useGenerations(filters.query);
  const pages = generations.data?.pages ?? [];
  const selection = useSelection(pages.flatMap(({ data }) => data));
  const list = {
    list: generations,
    loading: <RowsLoading rows={8} height={46} />,
    more: isSearch ? "Search older" : "Show more",
    onClear: filters.onClear,
    empty: (
      <Empty icon={Clapperboard} title="No generations yet">
        Generations appear here as soon as they are accepted, with a picture once they are finished.
      </Empty>
    ),
  };
  return (
    <>
      <PageHead
        title="Generations"
        actions={
          <>
            <SegmentedControl
              aria-label="View"
              value={view}
              onChange={(chosen) => keep(KEPT_VIEW, chosen)}
              data={optionsOf({ table: "Table", gallery: "Gallery" })}
            />
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
      <Card padding="md" style={WITH_BAR}>
        <FilterFields filters={filters} />
        {selection.selected.length > 0 && <SelectionBar selection={selection} />}
        {view === "gallery" ? (
          <DataList {...list}>
            {(shown) => (
              <GenerationTiles
                generations={shown}
                isMarked={selection.has}
                opener={({ id, mode }, content) => (
                  <Anchor
                    component={Link}
                    to={to(`generations/${id}`, mode)}
                    c="var(--mantine-color-text)"
                  >
                    {content}
                  </Anchor>
                )}
                beside={({ id, input }) => (
                  <Checkbox
                    aria-label={`Select: ${input.prompt}`}
                    checked={selection.has(id)}
                    onChange={(event) => selection.change(id, event)}
                  />
                )}
              />
            )}
          </DataList>
        ) : (
          <DataTable
            {...list}
            label="Generations"
            columns={GENERATION_COLUMNS}
            isOpening
            selection={selection}
            nameOf={({ input }) => input.prompt}
          />
        )}
        {isSearch && pages.length > 0 && <Searched last={pages.at(-1)} />}
      </Card>
    </>
  );
}

function useGenerationFilters() {
  const { to } = useScope();
  const navigate = useNavigate();
  const models = useModels().data?.data ?? [];
  const { keys } = useApiKeys();
  return useFilters([
    {
      name: "search",
      label: "Id, prompt or metadata",
      maxLength: DASHBOARD_LIMITS.search,
      changesFor: (search) => {
        const page = pageOfId(search);
        return page === undefined ? { search } : void navigate(to(page));
      },
    },
    { name: "kind", label: "Kind", data: ["video", "image"] },
    { name: "status", label: "Status", data: STATUSES },
    { name: "model", label: "Model", data: models.map(({ id }) => id), isLoaded: true },
    {
      name: "key",
      label: "Key",
      data: [{ value: "none", label: "Playground" }, ...keyOptions(keys)],
      isLoaded: true,
    },
    { name: "end_user", label: "End user", maxLength: DASHBOARD_LIMITS.endUser },
  ]);
}

/** How far a search came. */
function Searched({ last }: { last: Partial<Schemas["GenerationList"]> | undefined }) {
  const { mode } = useScope();
  const backTo = last?.searched_back_to;
  return (
    <Text size="sm" c="dimmed" mt="md" ta="center" role="status">
      Searched all {mode} generations{backTo && ` back to ${dateTime(backTo)}`}.
    </Text>
  );
}
