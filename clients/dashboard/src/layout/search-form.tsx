/** What is in the dialog of the search: its field, and the pages, actions and generations that it finds. Links close the dialog. */
import { Anchor, Box, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Search as SearchIcon } from "lucide-react";
import { type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from "react";
import { Link } from "react-router";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Generation } from "../api/client.ts";
import { Failure, ShowMore } from "../components/states.tsx";
import { StatusBadge } from "../components/texts.tsx";
import { pageOfId } from "../data/url.ts";
import { useGenerations } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import {
  countOf,
  Found,
  FoundDocs,
  FoundNamed,
  OPTION,
  useFoundDocs,
  useNamed,
} from "./found-pages.tsx";
import classes from "./search-form.module.css";

const TYPING_MS = 300;
const SHOWN = 6;
/** The same for every search, so that the field stays where it is. */
const RESULTS_HEIGHT = "min(60dvh, 32rem)";

/** Searches when the user pauses; Enter opens what is marked, the first at the beginning, once all is found. */
export default function SearchForm() {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [isEntered, setEntered] = useState(false);
  const { field, results, mark, show, open, onKeyDown } = useMark();
  const named = useNamed("");
  const openMarked = () => {
    setEntered(false);
    open();
  };
  const begin = useEffectEvent(() => mark(text === "" ? undefined : 0));
  useEffect(() => void begin(), [text]);
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === "") open();
          else setEntered(true);
        }}
      >
        <TextInput
          type="search"
          ref={field}
          role="combobox"
          aria-expanded
          aria-haspopup="listbox"
          aria-autocomplete="list"
          aria-label="Search this account"
          placeholder="A page, an id, order=A-104, words of a prompt"
          leftSection={<SearchIcon size={15} aria-hidden />}
          maxLength={DASHBOARD_LIMITS.search}
          // The first is for the form's first load, which ends after the dialog has set the focus; the second is for the dialog.
          autoFocus
          data-autofocus
          value={typed}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setEntered(false);
          }}
        />
      </form>
      {/* The padding keeps the outline of what has the focus. */}
      <Box ref={results} className={classes.found} h={RESULTS_HEIGHT} p={4} m={-4}>
        {text === "" ? (
          <Stack gap="md">
            <FoundNamed {...named} />
          </Stack>
        ) : (
          <Results
            text={text}
            onShown={show}
            onFound={isEntered && text === typed.trim() ? openMarked : undefined}
          />
        )}
      </Box>
    </Stack>
  );
}

type ResultsProps = {
  text: string;
  /** Called when more or less is shown. */
  onShown: () => unknown;
  /** Called when all is found. */
  onFound: (() => void) | undefined;
};

/** Pages by their names; the page of an id; generations by words, for users who may read them. */
function Results({ text, onShown, onFound }: ResultsProps) {
  const { to, may } = useScope();
  const named = useNamed(text);
  const { docs, isPending } = useFoundDocs(text);
  const idPage = pageOfId(text);
  const isSearch = may("listGenerations") && idPage === undefined;
  const generations = useGenerations({ search: text }, SHOWN, isSearch);
  const found = generations.data?.pages.flatMap(({ data }) => data) ?? [];
  const isFound = !isPending && !generations.isLoading;
  useEffect(() => void onShown());
  useEffect(() => {
    if (isFound) onFound?.();
  }, [isFound, onFound]);
  const count = countOf(named) + docs.length + found.length;
  return (
    <Stack gap="md">
      {idPage !== undefined && (
        <Found title="Ids">
          {[
            <li key={text} role="presentation">
              <Anchor component={Link} to={to(idPage)} {...OPTION}>
                Open <span className="mono">{text}</span>
              </Anchor>
            </li>,
          ]}
        </Found>
      )}
      <FoundNamed {...named} />
      {isFound && count === 0 && idPage === undefined && (
        <Text fw={600} ta="center" role="status">
          {generations.hasNextPage ? "Nothing found so far" : "No matches"}
        </Text>
      )}
      {generations.error && <Failure error={generations.error} />}
      <Found title="Generations">
        {found.map((generation) => (
          <Result key={generation.id} generation={generation} />
        ))}
      </Found>
      <FoundDocs docs={docs} />
      {isSearch && (
        <ShowMore list={generations} label="Search older">
          <Anchor
            component={Link}
            to={to(`generations?search=${encodeURIComponent(text)}`)}
            size="sm"
          >
            Open in the list
          </Anchor>
        </ShowMore>
      )}
    </Stack>
  );
}

function Result({ generation: { id, mode, status, input } }: { generation: Generation }) {
  const { to } = useScope();
  return (
    <li role="presentation">
      <Group justify="space-between" wrap="nowrap">
        <Anchor component={Link} to={to(`generations/${id}`, mode)} {...OPTION} lineClamp={1}>
          {input.prompt || id}
        </Anchor>
        <StatusBadge status={status} />
      </Group>
      <Text size="xs" c="dimmed" truncate>
        <span className="mono">{id}</span>
      </Text>
    </li>
  );
}

/** Links that say what was searched are no options. */
const FOUND = "[role=option], a";

function useMark() {
  const field = useRef<HTMLInputElement>(null);
  const results = useRef<HTMLDivElement>(null);
  /** Undefined: nothing is marked. */
  const at = useRef<number>(undefined);
  const found = () => [...(results.current?.querySelectorAll<HTMLElement>(FOUND) ?? [])];

  /** To be called after what is found has changed: its elements are React's, the mark on them is not. */
  const show = () => {
    const all = found();
    const marked = at.current === undefined ? undefined : all[Math.min(at.current, all.length - 1)];
    for (const [index, one] of all.entries()) {
      one.id = `found-${index}`;
      one.toggleAttribute("data-marked", one === marked);
      if (one.role === "option") one.ariaSelected = String(one === marked);
    }
    const lists = results.current?.querySelectorAll("[role=listbox]") ?? [];
    field.current?.setAttribute("aria-controls", [...lists].map(({ id }) => id).join(" "));
    field.current?.setAttribute("aria-activedescendant", marked?.id ?? "");
    return marked;
  };
  const mark = (index: number | undefined) => {
    at.current = index;
    return show();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const { length } = found();
    if (step === undefined || length === 0) return;
    event.preventDefault();
    const before = at.current ?? (step > 0 ? -1 : 0);
    mark((before + step + length) % length)?.scrollIntoView({ block: "nearest" });
  };
  const open = () => found()[at.current ?? -1]?.click();
  return { field, results, mark, show, open, onKeyDown };
}
