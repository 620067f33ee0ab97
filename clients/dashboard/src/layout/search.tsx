/** The search of every page: its button in the header, which Ctrl-K or Cmd-K presses too, and its dialog. */
import { ActionIcon, Anchor, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure, useHotkeys } from "@mantine/hooks";
import { Search as SearchIcon } from "lucide-react";
import { useRef, useState } from "react";
import { Link } from "react-router";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import type { Generation } from "../api/client.ts";
import { Dialog } from "../components/dialog.tsx";
import { QueryResult } from "../components/query-result.tsx";
import { Searched } from "../components/searched.tsx";
import { ShowMore } from "../components/show-more.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { useGenerations } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";

const TYPING_MS = 300;
const SHOWN = 6;
const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

export function Search() {
  const { may } = useScope();
  return may("listGenerations") ? <SearchButton /> : null;
}

function SearchButton() {
  const [isOpen, dialog] = useDisclosure(false);
  // Also while a field has the focus.
  useHotkeys([["mod+K", dialog.open]], []);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Search"
        aria-keyshortcuts="Control+K Meta+K"
        title={`Search (${SHORTCUT})`}
        onClick={dialog.open}
      >
        <SearchIcon size={18} aria-hidden />
      </ActionIcon>
      {isOpen && (
        <Dialog isOpen title="Search" onClose={dialog.close}>
          <SearchForm onOpen={dialog.close} />
        </Dialog>
      )}
    </>
  );
}

/** Searches when the user pauses; Enter opens what was found first. */
function SearchForm({ onOpen }: { onOpen: () => void }) {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS);
  const results = useRef<HTMLDivElement>(null);
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
          placeholder="Any id, an order id in metadata, words of a prompt"
          leftSection={<SearchIcon size={15} aria-hidden />}
          maxLength={DASHBOARD_LIMITS.search}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </form>
      {text && (
        // A link of the results, of which there are several kinds, also closes the dialog.
        <div
          ref={results}
          onClick={({ target }) => target instanceof Element && target.closest("a") && onOpen()}
        >
          <Results text={text} />
        </div>
      )}
    </Stack>
  );
}

function Results({ text }: { text: string }) {
  const { to } = useScope();
  const found = useGenerations({ search: text }, SHOWN);
  return (
    <QueryResult query={found}>
      {({ pages }) => (
        <>
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
        </>
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
