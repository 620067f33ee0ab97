/** What is in the dialog of the search: its field, and the pages, actions and generations that it finds. Links close the dialog. */
import { Box, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Search as SearchIcon } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { useGenerations } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import { FoundEndUser, FoundGenerations, SearchedSoFar, useEndUser } from "./found-generations.tsx";
import { countOf, FoundDocs, FoundNamed, useFoundDocs, useNamed } from "./found-pages.tsx";
import classes from "./search-form.module.css";
import { useMark } from "./use-mark.ts";

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
  const { may } = useScope();
  const named = useNamed("");
  const Results = may("listGenerations") ? AllResults : NamedResults;
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

/** For users who may not read generations: pages alone. */
function NamedResults({ text, onShown, onFound }: ResultsProps) {
  const named = useNamed(text);
  const { docs, isPending } = useFoundDocs(text);
  const isNothing = countOf(named) + docs.length === 0;
  useEffect(() => void onShown());
  useEffect(() => {
    if (!isPending) onFound?.();
  }, [isPending, onFound]);
  return (
    <Stack gap="md">
      <FoundNamed {...named} />
      <FoundDocs docs={docs} />
      {isNothing && <NoMatches title="No matches" />}
    </Stack>
  );
}

function AllResults({ text, onShown, onFound }: ResultsProps) {
  const found = useGenerations({ search: text }, SHOWN);
  const named = useNamed(text);
  const { docs, isPending } = useFoundDocs(text);
  const endUser = useEndUser(text);
  const isFound = !found.isPending && !isPending && !endUser.isLoading;
  useEffect(() => void onShown());
  useEffect(() => {
    if (isFound) onFound?.();
  }, [isFound, onFound]);
  const isNothing =
    found.isSuccess &&
    !endUser.data &&
    countOf(named) + docs.length === 0 &&
    found.data.pages.every(({ data, searched_id: id }) => data.length === 0 && !id?.found);
  return (
    <Stack gap="md">
      <FoundNamed {...named} />
      {isNothing && <NoMatches title={found.hasNextPage ? "Nothing found so far" : "No matches"} />}
      {endUser.data && <FoundEndUser name={text} />}
      <FoundGenerations found={found} />
      <FoundDocs docs={docs} />
      <SearchedSoFar text={text} found={found} />
    </Stack>
  );
}

function NoMatches({ title }: { title: string }) {
  return (
    <Text fw={600} ta="center" role="status">
      {title}
    </Text>
  );
}
