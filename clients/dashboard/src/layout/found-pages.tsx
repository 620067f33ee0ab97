/** What a search finds by name: pages of the dashboard, what users do on them, and pages of the documentation. */
import { Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useScope } from "../data/scope.ts";
import { hasWords } from "./has-words.ts";
import { MAIN_PAGES, SETTINGS_PAGES, type AccountPage } from "./pages.ts";

const SHOWN = 5;
/** An id: the documentation has some in its examples, which nobody looks for. */
const ID = /^[a-z]+_[0-9a-z]{26}$/;

/** The search of the documentation's own pages. */
const SEARCH_SCRIPT = "/docs/files/search.js";

/** A page of the documentation, as its own search has it. */
type DocPage = { url: string; title: string };

type DocSearch = {
  openSearch: () => Promise<(text: string, options: { needsAll: boolean }) => DocPage[]>;
};

const PAGES: readonly AccountPage[] = [...MAIN_PAGES, ...SETTINGS_PAGES];

/** An action as a link to its page. */
const ACTIONS: readonly AccountPage[] = PAGES.flatMap(({ actions = [], ...page }) =>
  actions.map((action) => ({ ...page, ...action })),
);

type Named = { pages: readonly AccountPage[]; actions: readonly AccountPage[] };

/** The pages and actions of the account with these words; all where there are no words yet. */
export function useNamed(text: string): Named {
  const { may } = useScope();
  const isFound = ({ label, words, needs }: AccountPage) =>
    may(needs) && (text === "" || hasWords(`${label} ${words}`, text));
  return { pages: PAGES.filter(isFound), actions: ACTIONS.filter(isFound) };
}

type Docs = { docs: DocPage[]; isPending: boolean };

/** The pages of the documentation with these words, the best first. */
export function useFoundDocs(text: string): Docs {
  const { data: find, isPending } = useQuery({
    queryKey: ["documentation"],
    queryFn: async () => {
      const script = (await import(/* @vite-ignore */ SEARCH_SCRIPT)) as DocSearch;
      return script.openSearch();
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  // Most searches are for generations, whose words some page always has.
  const docs = !find || ID.test(text) ? [] : find(text, { needsAll: true }).slice(0, SHOWN);
  return { docs, isPending };
}

export function FoundNamed({ pages, actions }: Named) {
  return (
    <>
      <PageLinks title="Pages" pages={pages} />
      <PageLinks title="Actions" pages={actions} />
    </>
  );
}

function PageLinks({ title, pages }: { title: string; pages: readonly AccountPage[] }) {
  const { to } = useScope();
  return (
    <Found title={title}>
      {pages.map(({ page, label, icon: Icon }) => (
        <li key={label}>
          <Anchor component={Link} to={to(page)} size="sm" fw={550} c="var(--mantine-color-text)">
            <Icon size={15} aria-hidden style={{ verticalAlign: "-2px", marginRight: 8 }} />
            {label}
          </Anchor>
        </li>
      ))}
    </Found>
  );
}

export function FoundDocs({ docs }: { docs: readonly DocPage[] }) {
  return (
    <Found title="Documentation">
      {docs.map(({ url, title }) => (
        <li key={url}>
          <Anchor href={url} size="sm" c="var(--mantine-color-text)">
            {title}
          </Anchor>
        </li>
      ))}
    </Found>
  );
}

export function Found({ title, children }: { title: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <div>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {title}
      </Text>
      <Stack component="ul" gap={6} m={0} p={0} aria-label={title} style={{ listStyle: "none" }}>
        {children}
      </Stack>
    </div>
  );
}
