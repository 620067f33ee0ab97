/** The fields above the list: the search, which leads to the page of an id, and filters by kind, status, model, key, end user and day. */
import { Button, SegmentedControl } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { SlidersHorizontal } from "lucide-react";
import { useNavigate } from "react-router";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { Choice, DayFields, keyOptions, SearchField } from "../../components/filter-fields.tsx";
import { pageOfId } from "../../data/url.ts";
import { useApiKeys, useModels } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import classes from "./filters.module.css";
import { isFiltered, STATUSES, type ListFilter } from "./use-filter.ts";

type Props = { filter: ListFilter; onChange: (change: Partial<ListFilter>) => void };

export function Filters({ filter, onChange }: Props) {
  const [isOpen, { toggle }] = useDisclosure(false);
  const { to } = useScope();
  const navigate = useNavigate();
  const models = useModels();
  const keys = useApiKeys();
  const modelIds = models.data?.filter(({ kind }) => kind === (filter.kind ?? kind));
  return (
    <div className={classes.filters} data-open={isOpen || undefined}>
      <SearchField
        label="An id, or words of prompts and metadata"
        className={classes.search}
        maxLength={DASHBOARD_LIMITS.search}
        value={filter.search ?? ""}
        onSearch={(search) => {
          const page = pageOfId(search);
          if (page) void navigate(to(page));
          else onChange({ search });
        }}
      />
      <Button
        className={classes.toggle}
        variant="default"
        leftSection={<SlidersHorizontal size={15} aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {isFiltered(filter) ? "Filters (in use)" : "Filters"}
      </Button>
      <KindSwitch kind={filter.kind} onChange={(kind) => onChange({ kind })} />
      <Choice
        label="Status"
        value={filter.status}
        data={[...STATUSES]}
        onChange={(chosen) => onChange({ status: STATUSES.find((status) => status === chosen) })}
      />
      <Choice
        label="Model"
        value={filter.model}
        data={modelIds?.map(({ id }) => id) ?? []}
        onChange={(model) => onChange({ model })}
      />
      <Choice
        label="Key"
        value={filter.key}
        data={[{ value: "none", label: "Playground" }, ...keyOptions(keys.data)]}
        onChange={(key) => onChange({ key })}
      />
      <SearchField
        label="End user"
        maxLength={DASHBOARD_LIMITS.endUser}
        value={filter.end_user ?? ""}
        onSearch={(endUser) => onChange({ end_user: endUser })}
      />
      <DayFields className={classes.days} days={filter} onChange={onChange} />
    </div>
  );
}

type KindProps = {
  kind: ListFilter["kind"];
  onChange: (kind: ListFilter["kind"]) => void;
};

function KindSwitch({ kind, onChange }: KindProps) {
  return (
    <SegmentedControl<"all" | "video" | "image">
      className={classes.kind}
      aria-label="Kind"
      value={kind ?? "all"}
      onChange={(chosen) => onChange(chosen === "all" ? undefined : chosen)}
      data={[
        { value: "all", label: "All" },
        { value: "video", label: "Videos" },
        { value: "image", label: "Images" },
      ]}
    />
  );
}
