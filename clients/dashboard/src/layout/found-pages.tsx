/** What a search finds by name: pages of the dashboard and of the documentation. */
import { Anchor, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useScope } from "../data/scope.ts";
import { hasWords, MAIN_PAGES, SETTINGS_PAGES, type AccountPage } from "./pages.ts";

const SHOWN = 5;
/** An id: the documentation has some in its examples, which nobody looks for. */
const ID = /^[a-z]+_[0-9a-z]{26}$/;

/** A page of the documentation, as its own search has it. */
type DocPage = { url: string; title: string; headings: readonly string[]; text: string };

/** The pages of the account with these words. */
export function useFoundPages(text: string): AccountPage[] {
  const { may } = useScope();
  return [...MAIN_PAGES, ...SETTINGS_PAGES].filter(
    ({ label, words, needs }) => may(needs) && hasWords(`${label} ${words}`, text),
  );
}

/** The pages of the documentation with these words: first those that have them in the title, then in a heading. */
export function useFoundDocs(text: string): DocPage[] {
  const { data = [] } = useQuery({
    queryKey: ["documentation"],
    queryFn: async () => {
      const response = await fetch("/docs/files/search.json");
      if (!response.ok) throw new Error("The list of the documentation's pages cannot be read.");
      return (await response.json()) as DocPage[];
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (ID.test(text)) return [];
  const places: ((page: DocPage) => readonly string[])[] = [
    ({ title }) => [title],
    ({ headings }) => headings,
    (page) => [page.text],
  ];
  const found = places.flatMap((textsOf) =>
    data.filter((page) => textsOf(page).some((part) => hasWords(part, text))),
  );
  return [...new Set(found)].slice(0, SHOWN);
}

export function FoundPages({ pages }: { pages: readonly AccountPage[] }) {
  const { to } = useScope();
  return (
    <Found title="Pages">
      {pages.map(({ page, label, icon: Icon }) => (
        <li key={page}>
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

function Found({ title, children }: { title: string; children: readonly ReactNode[] }) {
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
