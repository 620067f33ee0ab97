/** The fields above the list: the search, and filters by kind, status, model, key and day. */
import { SegmentedControl, Select, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useState } from "react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { apiKeysQuery, useModels } from "../../data/queries.ts";
import { useScope } from "../../data/scope.ts";
import classes from "./filters.module.css";
import { STATUSES, type ListFilter } from "./use-filter.ts";

const TYPING_MS = 300;

type Props = { filter: ListFilter; onChange: (change: Partial<ListFilter>) => void };

export function Filters({ filter, onChange }: Props) {
  const { account, may } = useScope();
  const models = useModels();
  const keys = useQuery({ ...apiKeysQuery(account.id), enabled: may("listKeys") });
  const modelIds = models.data?.filter(({ kind }) => kind === (filter.kind ?? kind));
  return (
    <div className={classes.filters}>
      <SearchField initial={filter.search ?? ""} onSearch={(search) => onChange({ search })} />
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
        className={classes.key}
        value={filter.key}
        data={[
          { value: "none", label: "Playground" },
          ...(keys.data?.map(({ id, name, last_four: end }) => ({
            value: id,
            label: `${name} …${end}`,
          })) ?? []),
        ]}
        onChange={(key) => onChange({ key })}
      />
      <DayInput
        label="From"
        value={filter.from}
        max={filter.to}
        onChange={(from) => onChange({ from })}
      />
      <DayInput
        label="To"
        value={filter.to}
        min={filter.from}
        onChange={(to) => onChange({ to })}
      />
    </div>
  );
}

/** Searches when the user pauses. */
function SearchField(props: { initial: string; onSearch: (search: string) => void }) {
  const [text, setText] = useState(props.initial);
  const search = useDebouncedCallback(props.onSearch, TYPING_MS);
  return (
    <TextInput
      type="search"
      aria-label="Search ids, metadata and prompts"
      placeholder="Search ids, metadata and prompts"
      leftSection={<Search size={15} aria-hidden />}
      className={classes.search}
      maxLength={DASHBOARD_LIMITS.search}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        search(value.trim());
      }}
    />
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

type DayProps = {
  label: string;
  /** "YYYY-MM-DD", like `min` and `max`. */
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string) => void;
};

function DayInput({ label, value = "", min, max, onChange }: DayProps) {
  return (
    <label className={classes.day}>
      <Text span size="sm" c="dimmed">
        {label}
      </Text>
      <TextInput
        type="date"
        value={value}
        min={min}
        max={max}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

type ChoiceProps = {
  label: string;
  className?: string | undefined;
  value: string | undefined;
  data: string[] | { value: string; label: string }[];
  onChange: (value: string | undefined) => void;
};

function Choice({ label, className, value, data, onChange }: ChoiceProps) {
  return (
    <Select
      aria-label={label}
      className={className}
      placeholder={`Any ${label.toLowerCase()}`}
      clearable
      comboboxProps={{ width: 240, position: "bottom-start" }}
      data={data}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}
