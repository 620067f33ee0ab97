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
import type { Operation } from "../data/scope.ts";

export type AccountPage = {
  page: string;
  label: string;
  icon: LucideIcon;
  /** The operation without which the page has nothing to show. */
  needs: Operation;
  /** What else users call it, or look for on it. */
  words: string;
  /** What users do on the page. */
  actions?: readonly PageAction[];
};

export type PageAction = {
  label: string;
  /** Where it begins, if not on the page as it is opened. */
  page?: string;
  needs: Operation;
  /** What else users call it. */
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
    words: "try create new generate model price",
    actions: [
      {
        label: "Generate a video or an image",
        needs: "createPlaygroundVideo",
        words: "new create generation picture try",
      },
    ],
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
    icon: ChartColumn,
    needs: "retrieveStatement",
    words: "billing monthly totals recharge",
  },
  {
    page: "billing?tab=limits",
    label: "Limits and alerts",
    icon: ChartColumn,
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
    actions: [
      {
        label: "Create an API key",
        page: "settings/keys?create=1",
        needs: "createApiKey",
        words: "new add keys",
      },
    ],
  },
  {
    page: "settings/webhooks",
    label: "Webhooks",
    icon: Webhook,
    needs: "listDeliveries",
    words: "deliveries signing secret test event disabled urls",
    actions: [{ label: "Send a test event", needs: "sendTestEvent", words: "webhook try" }],
  },
  {
    page: "settings/members",
    label: "Members",
    icon: Users,
    needs: "listMembers",
    words: "invite users roles team",
    actions: [
      { label: "Invite someone", needs: "createInvitation", words: "add member user invitation" },
    ],
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

/** The page at this path below the account and mode, or the one that it belongs to. */
export function pageAt(path: string): AccountPage | undefined {
  return [...MAIN_PAGES, ...SETTINGS_PAGES].find(({ page }) => `${path}/`.startsWith(`${page}/`));
}

/** Whether a page is in the menu: a part of another page is not. */
export const isInMenu = ({ page }: AccountPage): boolean => !page.includes("?");

/** Whether `text` has all of the words, each at the beginning of one of its own. */
export function hasWords(text: string, words: string): boolean {
  const own = text.toLowerCase().split(/[^\p{L}\p{N}_]+/u);
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  return asked.length > 0 && asked.every((word) => own.some((one) => one.startsWith(word)));
}
