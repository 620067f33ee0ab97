/** The fields above a list that filter it, and the filters themselves, which are in the URL. */
import { Button, Group, Select, Text, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback, useDisclosure } from "@mantine/hooks";
import { Search, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import type { ApiKey } from "../api/client.ts";
import { type Days, daysIn, spanOf } from "../data/url.ts";
import { useUrlQuery } from "../data/url-query.ts";
import { BusyButton, type Hinted, TextInput } from "./form/form.tsx";

type Option = { value: string; label: string };

type FilterField<Name extends string> = Hinted & {
  /** In the URL and the API. */
  name: Name;
  label: string;
  /** What can be chosen; without it the field takes any text. */
  data?: readonly (string | Option)[];
  /** Whether `data` is what the service lists now: then the URL may also have something else. */
  isLoaded?: boolean;
  maxLength?: number;
  /** What a text changes in the URL, by default its own filter; undefined for nothing. */
  changesFor?: (text: string) => Readonly<Record<string, string>> | undefined;
};

export type Filters<Name extends string> = ReturnType<typeof useFilters<Name>>;

/** The filters of a list, each once in the URL of its page, and its days. */
export function useFilters<Name extends string>(fields: readonly FilterField<Name>[]) {
  const [query, change] = useUrlQuery();
  const valueOf = ({ name, data, isLoaded }: FilterField<Name>) => {
    const value = query.get(name);
    if (!value) return undefined;
    const isTaken =
      !data ||
      isLoaded ||
      data.some((one) => (typeof one === "string" ? one : one.value) === value);
    return isTaken ? value : undefined;
  };
  const values = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)]));
  const days = daysIn(query);
  const set = Object.entries({ ...values, ...spanOf(days) }).filter(([, value]) => value);
  const names = [...fields.map(({ name }) => name), "from", "to"];
  return {
    fields,
    days,
    change,
    valueOf: (name: Name) => values[name],
    /** As the API takes them. */
    query: Object.fromEntries(set) as Partial<Record<Name, never>> & ReturnType<typeof spanOf>,
    onClear: names.some((name) => query.get(name))
      ? () => change(Object.fromEntries(names.map((name) => [name, undefined])))
      : undefined,
  };
}

/** On a phone those after the first are below a button. */
export function FilterFields<Name extends string>({ filters }: { filters: Filters<Name> }) {
  const { fields, days, valueOf, change, onClear } = filters;
  const [isOpen, { toggle }] = useDisclosure(false);
  const folded = isOpen ? {} : { visibleFrom: "sm" };
  const [first, ...others] = fields.map(({ name, label, data, ...rest }, index) =>
    data ? (
      <Select
        key={name}
        {...(index > 0 && folded)}
        flex="1 1 130px"
        aria-label={label}
        placeholder={`Any ${label.toLowerCase()}`}
        clearable
        comboboxProps={{ width: 240, position: "bottom-start" }}
        data={[...data]}
        value={valueOf(name) ?? null}
        onChange={(chosen) => change({ [name]: chosen ?? undefined })}
      />
    ) : (
      <SearchField
        key={name}
        {...(index > 0 && folded)}
        {...rest}
        name={name}
        label={label}
        value={valueOf(name) ?? ""}
        onChange={change}
      />
    ),
  );
  return (
    <Group gap="sm" mb="md" align="flex-start">
      {first}
      <Button
        w="100%"
        hiddenFrom="sm"
        variant="default"
        leftSection={<SlidersHorizontal size={15} aria-hidden />}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {onClear ? "Filters (in use)" : "Filters"}
      </Button>
      {others}
      <DayFields {...folded} days={days} onChange={change} />
      {/* Always there, so that nothing moves. */}
      <BusyButton {...folded} variant="subtle" isBusy={false} disabled={!onClear} onClick={onClear}>
        Clear filters
      </BusyButton>
    </Group>
  );
}

const TYPING_MS = 300;

type SearchProps = Omit<FilterField<string>, "data" | "isLoaded"> & {
  visibleFrom?: string;
  value: string;
  onChange: Filters<string>["change"];
};

/** Searches when the user pauses. */
function SearchField({ label, value, changesFor, onChange, ...rest }: SearchProps) {
  const [text, setText, setSearched] = useTyped(value);
  const search = useDebouncedCallback((typed: string) => {
    const changed = changesFor ? changesFor(typed) : { [rest.name]: typed };
    if (!changed) return;
    setSearched(typed);
    onChange(changed);
  }, TYPING_MS);
  return (
    <TextInput
      {...rest}
      flex="1 1 220px"
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={15} aria-hidden />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value.trim());
      }}
    />
  );
}

/** What can be chosen, by its values. */
export const optionsOf = (labels: Readonly<Record<string, string>>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** API keys to choose from. */
export function keyOptions(keys: readonly ApiKey[] = []): Option[] {
  return keys.map(({ id, name, last_four: end }) => ({ value: id, label: `${name} …${end}` }));
}

type DaysProps = {
  days: Days;
  visibleFrom?: string;
  onChange: (changed: Partial<Days>) => void;
};

/** With four digits: a browser's field takes six. */
const LAST_DAY = "9999-12-31";
/** A year that is being typed begins with zeros. */
const FIRST_DAY = "1000-01-01";

/** The first and the last day, both part of the span. */
export function DayFields({ days: { from, to }, onChange, ...rest }: DaysProps) {
  const isTurned = from && to && from > to;
  const fault = isTurned && "Choose a first day that is not after the last one.";
  const onDay = (name: keyof Days) => (day: string) => onChange({ [name]: day });
  return (
    <>
      <DayField {...rest} label="From" value={from} max={to ?? LAST_DAY} onDay={onDay("from")} />
      <DayField {...rest} label="To" value={to} min={from} error={fault} onDay={onDay("to")} />
    </>
  );
}

type DayFieldProps = Omit<TextInputProps, "value"> & {
  label: string;
  value: string | undefined;
  onDay: (day: string) => void;
};

/** Has what is typed, and tells of whole days. */
function DayField({ label, value = "", onDay, ...rest }: DayFieldProps) {
  const [typed, setTyped] = useTyped(value);
  return (
    <TextInput
      flex="1 1 140px"
      maw={200}
      type="date"
      max={LAST_DAY}
      aria-label={label}
      leftSection={
        <Text size="sm" c="dimmed" aria-hidden>
          {label}
        </Text>
      }
      leftSectionWidth={52}
      value={typed}
      onChange={({ currentTarget: { value: day } }) => {
        setTyped(day);
        if (day === "" || day >= FIRST_DAY) onDay(day);
      }}
      {...rest}
    />
  );
}

/** What is typed, until another value comes from elsewhere, such as a cleared filter. `setSeen` tells of one that it will have itself. */
function useTyped(value: string) {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  if (value !== seen) {
    setSeen(value);
    setTyped(value);
  }
  return [typed, setTyped, setSeen] as const;
}
