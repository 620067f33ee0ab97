/** The search of every page: its button in the header, which Ctrl-K or Cmd-K presses too, and the dialog that finds pages, keys and so on. */
import {
  Box,
  Button,
  Combobox,
  ScrollArea,
  Text,
  TextInput,
  useCombobox,
  VisuallyHidden,
} from "@mantine/core";
import { useDebouncedValue, useDisclosure, useHotkeys } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Search as SearchIcon } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { useNavigate } from "react-router";
import { DASHBOARD_LIMITS } from "#gen/openapi/limits.ts";
import { Dialog } from "../components/dialog.tsx";
import { keyOptions } from "../components/filter-fields.tsx";
import { Note } from "../components/texts.tsx";
import { useApiKeys, useDeliveries, useGeneration, useGenerations } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import { idIn, pageOfId } from "../data/url.ts";
import { timeAgo } from "../data/value-format.ts";
import { ACCOUNT_PAGES, hasWords, wordsOf } from "./pages.ts";

const TYPING_MS = 300;
const SHOWN = 6;
/** The same for every search, so that the field stays where it is. */
const RESULTS_HEIGHT = "min(60dvh, 32rem)";

/** The search of the documentation's own pages. */
const SEARCH_SCRIPT = "/docs/files/search.js";

type DocSearch = {
  openSearch: () => Promise<
    (text: string, options: { needsAll: boolean }) => { url: string; title: string }[]
  >;
};

/** `page` is that of the account, or begins with a slash. */
type Found = { page: string; label: string; note?: string };

const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";

export function Search() {
  const [isOpen, dialog] = useDisclosure(false);
  // Also while a field has the focus.
  useHotkeys([["mod+K", dialog.open]], []);
  return (
    <>
      <Button
        variant="default"
        fw={400}
        c="dimmed"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={dialog.open}
      >
        <SearchIcon size={15} aria-hidden />
        <VisuallyHidden>Search</VisuallyHidden>
        <Box component="span" visibleFrom="md" ml={8} aria-hidden>
          Search <small>{SHORTCUT}</small>
        </Box>
      </Button>
      {isOpen && (
        <Dialog title="Search" onClose={dialog.close}>
          <SearchForm onClose={dialog.close} />
        </Dialog>
      )}
    </>
  );
}

/** Searches when the user pauses; Enter opens what is marked, the first at the beginning, once all is found. */
function SearchForm({ onClose }: { onClose: () => void }) {
  const { to } = useScope();
  const navigate = useNavigate();
  const combobox = useCombobox({ opened: true });
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), TYPING_MS);
  const [isEntered, setEntered] = useState(false);
  const { groups, isFound } = useFound(text);
  const isCurrent = text === typed.trim() && isFound;
  const open = (page: string) => {
    onClose();
    if (page.startsWith("/docs")) globalThis.location.assign(page);
    else void navigate(to(page));
  };
  const mark = useEffectEvent(() => {
    // What the user has marked since stays so when more is found.
    const isNew = text !== "" && isCurrent && combobox.getSelectedOptionIndex() < 0;
    if (isNew) combobox.selectFirstOption();
    if (isEntered && isCurrent) combobox.clickSelectedOption();
  });
  useEffect(() => mark(), [text, isCurrent, isEntered]);
  return (
    <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          type="search"
          role="combobox"
          aria-label="Search this account"
          placeholder="A page, an id, order=A-104, words of a prompt"
          leftSection={<SearchIcon size={15} aria-hidden />}
          data-autofocus
          mb="sm"
          value={typed}
          onKeyDown={({ key }) => {
            // The library keeps this key from the dialog.
            if (key === "Escape") onClose();
            if (key === "Enter" && !isCurrent) setEntered(true);
          }}
          onChange={({ currentTarget: { value } }) => {
            // A pasted error is looked for by the id that it is about.
            setTyped(idIn(value) ?? value.slice(0, DASHBOARD_LIMITS.search));
            setEntered(false);
            // What was marked belongs to what was typed before.
            combobox.resetSelectedOption();
          }}
        />
      </Combobox.EventsTarget>
      <ScrollArea h={RESULTS_HEIGHT} type="auto">
        <Combobox.Options aria-label="Found">
          {groups
            .filter(({ found }) => found.length > 0)
            .map(({ title, found }) => (
              <Combobox.Group key={title} label={title}>
                {found.map(({ page, label, note }) => (
                  <Combobox.Option key={`${page} ${label}`} value={page}>
                    {label}
                    {note && <Note c="inherit">{note}</Note>}
                  </Combobox.Option>
                ))}
              </Combobox.Group>
            ))}
        </Combobox.Options>
        {isCurrent && groups.every(({ found }) => found.length === 0) && (
          <Text fw={600} ta="center" role="status">
            No matches
          </Text>
        )}
      </ScrollArea>
    </Combobox>
  );
}

/** Pages and actions by their names, the page of an id, keys by names and ends, URLs of the latest webhooks, generations and documents by words. */
function useFound(text: string): { groups: { title: string; found: Found[] }[]; isFound: boolean } {
  const { may } = useScope();
  const { keys = [] } = useApiKeys();
  const isSearch = text !== "" && pageOfId(text) === undefined;
  const generations = useGenerations({ search: text }, { limit: SHOWN, isEnabled: isSearch });
  const deliveries = useDeliveries({});
  const urls = deliveries.data?.pages.flatMap(({ data }) => data.map(({ url }) => url)) ?? [];
  const docs = useQuery({
    queryKey: ["documentation"],
    queryFn: async () => {
      const script = (await import(/* @vite-ignore */ SEARCH_SCRIPT)) as DocSearch;
      return script.openSearch();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  // `listen` gives an event the id of its generation.
  const eventId = idIn(text, ["evt"]);
  const video = useGeneration(eventId?.replace("evt", "vgen"));
  const image = useGeneration(eventId?.replace("evt", "igen"));
  const ofEvent = (video.data ?? image.data)?.generation;
  const idPage = ofEvent ? undefined : pageOfId(text);
  const listed = generations.data?.pages.flatMap(({ data }) => data) ?? [];
  // Most searches are for generations, whose words some document always has.
  const documents = isSearch ? (docs.data?.(text, { needsAll: true }) ?? []) : [];
  const groups = [
    { title: "Ids", found: idPage ? [{ page: idPage, label: `Open ${idIn(text)}` }] : [] },
    {
      title: "Pages",
      found: ACCOUNT_PAGES.filter(
        (one) => may(one.needs) && (text === "" || hasWords(wordsOf(one), text)),
      ),
    },
    {
      title: "API keys",
      found: keyOptions(
        keys.filter((key) =>
          hasWords(`${key.name} ${key.prefix}${key.last_four} ${key.last_four}`, text),
        ),
      ).map(({ label }) => ({ page: "settings/keys", label })),
    },
    {
      title: "Webhooks",
      found: [...new Set(urls)]
        .filter((url) => hasWords(url, text))
        .map((url) => ({ page: `settings/webhooks?url=${encodeURIComponent(url)}`, label: url })),
    },
    {
      title: "Generations",
      found: (ofEvent ? [ofEvent] : listed).map(({ id, input, model, status, created_at: at }) => ({
        page: `generations/${id}`,
        label: input.prompt || id,
        note: `${model}, ${status}, ${timeAgo(at, Date.now())}`,
      })),
    },
    {
      title: "Documentation",
      found: documents.slice(0, SHOWN).map(({ url, title }) => ({ page: url, label: title })),
    },
    {
      title: "More",
      found: generations.hasNextPage
        ? [{ page: `generations?search=${encodeURIComponent(text)}`, label: "Search the list" }]
        : [],
    },
  ];
  const isLoading = [generations, deliveries, video, image].some((query) => query.isLoading);
  return { groups, isFound: !docs.isPending && !isLoading };
}
