/** The pages of an account, in the order in which a developer needs them, for the menu and the search. */
import {
  Activity,
  ChartColumn,
  Clapperboard,
  KeyRound,
  LayoutDashboard,
  ScrollText,
  Settings,
  Sparkles,
  Users,
  Webhook,
  type LucideIcon,
} from "lucide-react";
import type { Operation } from "../api/client.ts";

export type AccountPage = {
  page: string;
  label: string;
  /** In the menu; a part of a page, and what users do on it, are only found by the search. */
  icon?: LucideIcon;
  /** The operation without which the page has nothing to show. */
  needs: Operation;
};

export const MAIN_PAGES: AccountPage[] = [
  { page: "overview", label: "Overview", icon: LayoutDashboard, needs: "listBalances" },
  { page: "playground", label: "Playground", icon: Sparkles, needs: "createPlaygroundVideo" },
  { page: "generations", label: "Generations", icon: Clapperboard, needs: "listGenerations" },
  { page: "requests", label: "Requests", icon: Activity, needs: "listRequestLog" },
  { page: "billing", label: "Usage and billing", icon: ChartColumn, needs: "retrieveStatement" },
  { page: "billing?tab=transactions", label: "Transactions", needs: "retrieveStatement" },
  { page: "billing?tab=limits", label: "Limits and alerts", needs: "retrieveStatement" },
];

export const SETTINGS_PAGES: AccountPage[] = [
  { page: "settings/keys", label: "API keys", icon: KeyRound, needs: "listKeys" },
  { page: "settings/keys?create=1", label: "Create an API key", needs: "createApiKey" },
  { page: "settings/webhooks", label: "Webhooks", icon: Webhook, needs: "listDeliveries" },
  { page: "settings/members", label: "Members", icon: Users, needs: "listMembers" },
  { page: "settings/audit-log", label: "Audit log", icon: ScrollText, needs: "listAuditEntries" },
  { page: "settings/account", label: "Account", icon: Settings, needs: "retrieveAccount" },
];

/** What else users call a page, or look for on it. */
const OTHER_WORDS: Record<string, string> = {
  overview: "home start balance first steps",
  playground: "try create new generate video image picture model price",
  generations: "videos images gallery",
  requests: "log errors calls",
  billing: "tokens charges end users",
  "billing?tab=transactions": "billing monthly totals recharge",
  "billing?tab=limits": "billing low balance",
  "settings/keys": "token secret permissions rotate revoke",
  "settings/keys?create=1": "new add keys",
  "settings/webhooks": "deliveries signing secret rotate send test event disabled urls",
  "settings/members": "invite add users user roles team",
  "settings/audit-log": "history changes",
  "settings/account": "name settings leave",
};

export const wordsOf = ({ page, label }: AccountPage) => `${label} ${OTHER_WORDS[page]}`;

export const ACCOUNT_PAGES: readonly AccountPage[] = [...MAIN_PAGES, ...SETTINGS_PAGES];

/** The page at this path below the account and mode, or the one that it belongs to. */
export function pageAt(path: string): AccountPage | undefined {
  return ACCOUNT_PAGES.find(({ page }) => `${path}/`.startsWith(`${page}/`));
}

/** Whether `text` has all of the words, each at the beginning of one of its own. */
export function hasWords(text: string, words: string): boolean {
  const split = (one: string): string[] => one.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const asked = split(words);
  return asked.length > 0 && asked.every((word) => split(text).some((one) => one.startsWith(word)));
}
