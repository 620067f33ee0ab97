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
  /** What else users call it, or look for on it. */
  words: string;
};

export const MAIN_PAGES: AccountPage[] = [
  {
    page: "overview",
    label: "Overview",
    icon: LayoutDashboard,
    needs: "listBalances",
    words: "home start balance first steps",
  },
  {
    page: "playground",
    label: "Playground",
    icon: Sparkles,
    needs: "createPlaygroundVideo",
    words: "try create new generate video image picture model price",
  },
  {
    page: "generations",
    label: "Generations",
    icon: Clapperboard,
    needs: "listGenerations",
    words: "videos images gallery",
  },
  {
    page: "requests",
    label: "Requests",
    icon: Activity,
    needs: "listRequestLog",
    words: "log errors calls",
  },
  {
    page: "billing",
    label: "Usage and billing",
    icon: ChartColumn,
    needs: "retrieveStatement",
    words: "tokens charges end users",
  },
  {
    page: "billing?tab=transactions",
    label: "Transactions",
    needs: "retrieveStatement",
    words: "billing monthly totals recharge",
  },
  {
    page: "billing?tab=limits",
    label: "Limits and alerts",
    needs: "retrieveStatement",
    words: "billing low balance",
  },
];

export const SETTINGS_PAGES: AccountPage[] = [
  {
    page: "settings/keys",
    label: "API keys",
    icon: KeyRound,
    needs: "listKeys",
    words: "token secret permissions rotate revoke",
  },
  {
    page: "settings/keys?create=1",
    label: "Create an API key",
    needs: "createApiKey",
    words: "new add keys",
  },
  {
    page: "settings/webhooks",
    label: "Webhooks",
    icon: Webhook,
    needs: "listDeliveries",
    words: "deliveries signing secret send test event disabled urls",
  },
  {
    page: "settings/members",
    label: "Members",
    icon: Users,
    needs: "listMembers",
    words: "invite add users user roles team",
  },
  {
    page: "settings/audit-log",
    label: "Audit log",
    icon: ScrollText,
    needs: "listAuditEntries",
    words: "history changes",
  },
  {
    page: "settings/account",
    label: "Account",
    icon: Settings,
    needs: "retrieveAccount",
    words: "name settings leave",
  },
];

export const ACCOUNT_PAGES: readonly AccountPage[] = [...MAIN_PAGES, ...SETTINGS_PAGES];

/** The page at this path below the account and mode, or the one that it belongs to. */
export function pageAt(path: string): AccountPage | undefined {
  return ACCOUNT_PAGES.find(({ page }) => `${path}/`.startsWith(`${page}/`));
}

/** Whether `text` has all of the words, each at the beginning of one of its own. */
export function hasWords(text: string, words: string): boolean {
  const own = text.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  return asked.length > 0 && asked.every((word) => own.some((one) => one.startsWith(word)));
}
