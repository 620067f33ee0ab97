/** What is in the dialog of the search: its field, and the pages and generations that it finds. Links close the dialog. */
import { Anchor, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Search as SearchIcon } from "lucide-react";
import { useRef, useState } from "react";
import { Link } from "react-router";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Generation } from "../api/client.ts";
import { QueryResult } from "../components/query-result.tsx";
import { Searched } from "../components/searched.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { useGenerations } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import { FoundDocs, FoundPages, useFoundDocs, useFoundPages } from "./found-pages.tsx";

const TYPING_MS = 300;
const SHOWN = 6;

/** Searches when the user pauses; Enter opens what was found first. */
export default function SearchForm() {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS);
  const results = useRef<HTMLDivElement>(null);
  const { may } = useScope();
  return (
    <Stack gap="sm">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text === typed.trim()) results.current?.querySelector("a")?.click();
        }}
      >
        <TextInput
          type="search"
          aria-label="Search this account"
          placeholder="A page, an id, order=A-104, words of a prompt"
          leftSection={<SearchIcon size={15} aria-hidden />}
          maxLength={DASHBOARD_LIMITS.search}
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </form>
      {text && (
        <div ref={results}>
          {may("listGenerations") ? <Results text={text} /> : <Names text={text} />}
        </div>
      )}
    </Stack>
  );
}

/** For users who may not read generations: pages alone. */
function Names({ text }: { text: string }) {
  const pages = useFoundPages(text);
  const docs = useFoundDocs(text);
  return (
    <Stack gap="md">
      <FoundPages pages={pages} />
      <FoundDocs docs={docs} />
      {pages.length + docs.length === 0 && <NoMatches title="No matches" />}
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

function Results({ text }: { text: string }) {
  const found = useGenerations({ search: text }, SHOWN);
  const pages = useFoundPages(text);
  const docs = useFoundDocs(text);
  const answers = found.data?.pages ?? [];
  const isNothing =
    found.isSuccess &&
    pages.length + docs.length === 0 &&
    answers.every(({ data, searched_id: id }) => data.length === 0 && !id?.found);
  return (
    <Stack gap="md">
      <FoundPages pages={pages} />
      {isNothing && <NoMatches title={found.hasNextPage ? "Nothing found so far" : "No matches"} />}
      <Generations text={text} found={found} />
      <FoundDocs docs={docs} />
    </Stack>
  );
}

type GenerationsProps = { text: string; found: ReturnType<typeof useGenerations> };

function Generations({ text, found }: GenerationsProps) {
  const { to } = useScope();
  return (
    <QueryResult query={found}>
      {({ pages }) => (
        <div>
          <Stack
            component="ul"
            gap="xs"
            m={0}
            p={0}
            aria-label="Found"
            style={{ listStyle: "none" }}
          >
            {pages
              .flatMap(({ data }) => data)
              .map((generation) => (
                <Result key={generation.id} generation={generation} />
              ))}
          </Stack>
          <Searched pages={pages} text={text} />
          <ShowMore list={found} label="Search older">
            <Anchor
              component={Link}
              to={to(`generations?search=${encodeURIComponent(text)}`)}
              size="sm"
            >
              Open in the list
            </Anchor>
          </ShowMore>
        </div>
      )}
    </QueryResult>
  );
}

function Result({ generation }: { generation: Generation }) {
  const { to } = useScope();
  const { id, mode, status, input } = generation;
  return (
    <li>
      <Group justify="space-between" wrap="nowrap">
        <Anchor
          component={Link}
          to={to(`generations/${id}`, mode)}
          size="sm"
          fw={550}
          c="var(--mantine-color-text)"
          lineClamp={1}
        >
          {input.prompt || id}
        </Anchor>
        <StatusBadge status={status} />
      </Group>
      <Text size="xs" c="dimmed" truncate>
        <span className="mono">{id}</span> · {mode}
      </Text>
    </li>
  );
}
