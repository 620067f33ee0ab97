/** The fields above a list that filter it. */
import { Select, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Search } from "lucide-react";
import { useState, type CSSProperties } from "react";
import type { ApiKey } from "../api/client.ts";
import type { Days } from "../data/url.ts";
import classes from "./filter-fields.module.css";

const TYPING_MS = 300;

type SearchProps = {
  label: string;
  className?: string | undefined;
  style?: CSSProperties;
  maxLength: number;
  value: string;
  onSearch: (text: string) => void;
  /** What is wrong with a text, if anything. */
  faultOf?: (text: string) => string | undefined;
};

/** Searches when the user pauses. Another value from elsewhere, such as a cleared filter, takes the place of what was typed. */
export function SearchField({ label, value, onSearch, faultOf, ...rest }: SearchProps) {
  const [text, setText] = useState(value);
  const [searched, setSearched] = useState(value);
  const search = useDebouncedCallback((typed: string) => {
    setSearched(typed);
    onSearch(typed);
  }, TYPING_MS);
  if (value !== searched) {
    setSearched(value);
    setText(value);
  }
  return (
    <TextInput
      {...rest}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={15} aria-hidden />}
      error={faultOf?.(text.trim())}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value.trim());
      }}
    />
  );
}

type Option = { value: string; label: string };

type ChoiceProps = {
  label: string;
  className?: string | undefined;
  style?: CSSProperties;
  value: string | undefined;
  data: string[] | Option[];
  onChange: (value: string | undefined) => void;
};

export function Choice({ label, value, onChange, ...rest }: ChoiceProps) {
  return (
    <Select
      {...rest}
      aria-label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      clearable
      comboboxProps={{ width: 240, position: "bottom-start" }}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  );
}

/** API keys to choose from. */
export function keyOptions(keys: readonly ApiKey[] = []): Option[] {
  return keys.map(({ id, name, last_four: end }) => ({ value: id, label: `${name} …${end}` }));
}

type DaysProps = {
  className?: string | undefined;
  days: Days;
  onChange: (changed: Partial<Days>) => void;
};

/** The first and the last day, side by side. */
export function DayFields({ className = "", days: { from, to }, onChange }: DaysProps) {
  const fault = from && to && from > to ? "Choose a first day that is not after the last one." : "";
  return (
    <div className={`${classes.days} ${className}`}>
      <DayInput label="From" value={from} max={to} onChange={(day) => onChange({ from: day })} />
      <DayInput
        label="To"
        value={to}
        min={from}
        error={fault}
        onChange={(day) => onChange({ to: day })}
      />
    </div>
  );
}

type DayProps = {
  label: string;
  /** "YYYY-MM-DD", like `min` and `max`. */
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  error?: string;
  onChange: (day: string) => void;
};

function DayInput({ label, value = "", min, max, error, onChange }: DayProps) {
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
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
