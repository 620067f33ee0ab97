/** What a search finds by name: pages of the dashboard, what users do on them, and pages of the documentation. */
import { Anchor, Stack, Text, useMantineColorScheme } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { Link } from "react-router";
import { KeyRound, LogOut, Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import type { ApiKey } from "../api/client.ts";
import { keyOptions } from "../components/filter-fields.tsx";
import { pageOfId } from "../data/url.ts";
import { useApiKeys } from "../data/queries.ts";
import { useScope } from "../data/scope.ts";
import { useSignOut } from "../session/session.ts";
import { hasWords, MAIN_PAGES, SETTINGS_PAGES, type AccountPage } from "./pages.ts";

const SHOWN = 5;

/** The search of the documentation's own pages. */
const SEARCH_SCRIPT = "/docs/files/search.js";

/** A page of the documentation, as its own search has it. */
type DocPage = { url: string; title: string };

type DocSearch = {
  openSearch: () => Promise<(text: string, options: { needsAll: boolean }) => DocPage[]>;
};

/** Of each link or button that is found; which one is marked, `useMark` says. */
export const OPTION = {
  role: "option",
  size: "sm",
  fw: 550,
  c: "var(--mantine-color-text)",
} as const;

const PAGES: readonly AccountPage[] = [...MAIN_PAGES, ...SETTINGS_PAGES];

/** An action as a link to its page. */
const ACTIONS: readonly AccountPage[] = PAGES.flatMap(({ actions = [], ...page }) =>
  actions.map((action) => ({ ...page, ...action })),
);

/** What is done at once, on no page. */
type Command = { label: string; icon: LucideIcon; words: string; run: () => void };

type Named = {
  pages: readonly AccountPage[];
  actions: readonly AccountPage[];
  commands: readonly Command[];
  keys: readonly ApiKey[];
};

/** The pages and actions of the account with these words, all where there are no words yet, and the mode's keys that are in use. */
export function useNamed(text: string): Named {
  const { may } = useScope();
  const isFound = ({ label, words, needs }: AccountPage) =>
    may(needs) && (text === "" || hasWords(`${label} ${words}`, text));
  const commands = useCommands().filter(
    ({ label, words }) => text !== "" && hasWords(`${label} ${words}`, text),
  );
  const keys = useApiKeys().data?.filter(
    ({ name, revoked_at: revokedAt }) => !revokedAt && text !== "" && hasWords(name, text),
  );
  return {
    keys: keys ?? [],
    pages: PAGES.filter(isFound),
    actions: ACTIONS.filter(isFound),
    commands,
  };
}

export function countOf({ pages, actions, commands, keys }: Named): number {
  return pages.length + actions.length + commands.length + keys.length;
}

function useCommands(): Command[] {
  const signOut = useSignOut();
  const { setColorScheme } = useMantineColorScheme();
  const words = "colours colors theme mode scheme";
  return [
    { label: "Sign out", icon: LogOut, words: "log logout leave", run: () => signOut.mutate() },
    { label: "Dark colours", icon: Moon, words, run: () => setColorScheme("dark") },
    { label: "Light colours", icon: Sun, words, run: () => setColorScheme("light") },
    { label: "Colours of the system", icon: Monitor, words, run: () => setColorScheme("auto") },
  ];
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
  const docs = !find || pageOfId(text) ? [] : find(text, { needsAll: true }).slice(0, SHOWN);
  return { docs, isPending };
}

export function FoundNamed({ pages, actions, commands, keys }: Named) {
  const { to } = useScope();
  return (
    <>
      <PageLinks title="Pages" pages={pages} />
      <PageLinks title="Actions" pages={actions} />
      <Found title="API keys">
        {keyOptions(keys).map(({ value, label }) => (
          <li key={value} role="presentation">
            <Anchor component={Link} to={to("settings/keys")} {...OPTION}>
              <Label icon={KeyRound} text={label} />
            </Anchor>
          </li>
        ))}
      </Found>
      <Found title="Commands">
        {commands.map(({ label, icon, run }) => (
          <li key={label} role="presentation">
            <Anchor component="button" onClick={run} {...OPTION}>
              <Label icon={icon} text={label} />
            </Anchor>
          </li>
        ))}
      </Found>
    </>
  );
}

function Label({ icon: Icon, text }: { icon: LucideIcon; text: string }) {
  return (
    <>
      <Icon size={15} aria-hidden style={{ verticalAlign: "-2px", marginRight: 8 }} />
      {text}
    </>
  );
}

function PageLinks({ title, pages }: { title: string; pages: readonly AccountPage[] }) {
  const { to } = useScope();
  return (
    <Found title={title}>
      {pages.map(({ page, label, icon }) => (
        <li key={label} role="presentation">
          <Anchor component={Link} to={to(page)} {...OPTION}>
            <Label icon={icon} text={label} />
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
        <li key={url} role="presentation">
          <Anchor href={url} {...OPTION} fw={400}>
            {title}
          </Anchor>
        </li>
      ))}
    </Found>
  );
}

export function Found({ title, children }: { title: string; children: readonly ReactNode[] }) {
  const id = useId();
  if (children.length === 0) return null;
  return (
    <div>
      <Text size="xs" fw={600} c="dimmed" mb={4}>
        {title}
      </Text>
      <Stack
        component="ul"
        role="listbox"
        id={id}
        aria-label={title}
        gap={6}
        m={0}
        p={0}
        style={{ listStyle: "none" }}
      >
        {children}
      </Stack>
    </div>
  );
}
