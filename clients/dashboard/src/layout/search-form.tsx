/** What is in the dialog of the search: its field, and the pages, actions and generations that it finds. Links close the dialog. */
import { Box, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Search as SearchIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { useGenerations } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import { FoundGenerations, SearchedSoFar } from "./found-generations.tsx";
import { FoundDocs, FoundNamed, useFoundDocs, useNamed } from "./found-pages.tsx";

const TYPING_MS = 300;
const SHOWN = 6;
/** The same for every search, so that the field stays where it is. */
const RESULTS_HEIGHT = "min(60dvh, 32rem)";

/** Searches when the user pauses; Enter opens what is found first, once all is found. */
export default function SearchForm() {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [isEntered, setEntered] = useState(false);
  const results = useRef<HTMLDivElement>(null);
  const { may } = useScope();
  const named = useNamed("");
  const Results = may("listGenerations") ? AllResults : NamedResults;
  const openFirst = () => {
    setEntered(false);
    results.current?.querySelector("a")?.click();
  };
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setEntered(typed.trim() !== "");
        }}
      >
        <TextInput
          type="search"
          aria-label="Search this account"
          placeholder="A page, an id, order=A-104, words of a prompt"
          leftSection={<SearchIcon size={15} aria-hidden />}
          maxLength={DASHBOARD_LIMITS.search}
          // The first is for the form's first load, which ends after the dialog has set the focus; the second is for the dialog.
          autoFocus
          data-autofocus
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            setEntered(false);
          }}
        />
      </form>
      {/* The padding keeps the outline of what has the focus. */}
      <Box ref={results} h={RESULTS_HEIGHT} p={4} m={-4} style={{ overflowY: "auto" }}>
        {text === "" ? (
          <Stack gap="md">
            <FoundNamed {...named} />
          </Stack>
        ) : (
          <Results
            text={text}
            onFound={isEntered && text === typed.trim() ? openFirst : undefined}
          />
        )}
      </Box>
    </Stack>
  );
}

type ResultsProps = {
  text: string;
  /** Called when all is found. */
  onFound: (() => void) | undefined;
};

/** For users who may not read generations: pages alone. */
function NamedResults({ text, onFound }: ResultsProps) {
  const named = useNamed(text);
  const { docs, isPending } = useFoundDocs(text);
  const isNothing = named.pages.length + named.actions.length + docs.length === 0;
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

function AllResults({ text, onFound }: ResultsProps) {
  const found = useGenerations({ search: text }, SHOWN);
  const named = useNamed(text);
  const { docs, isPending } = useFoundDocs(text);
  const isFound = !found.isPending && !isPending;
  useEffect(() => {
    if (isFound) onFound?.();
  }, [isFound, onFound]);
  const isNothing =
    found.isSuccess &&
    named.pages.length + named.actions.length + docs.length === 0 &&
    found.data.pages.every(({ data, searched_id: id }) => data.length === 0 && !id?.found);
  return (
    <Stack gap="md">
      <FoundNamed {...named} />
      {isNothing && <NoMatches title={found.hasNextPage ? "Nothing found so far" : "No matches"} />}
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
