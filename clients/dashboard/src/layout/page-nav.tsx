/** The navigation: every page of an account, in the order in which a developer needs them. */
import { Divider, Stack, Text } from "@mantine/core";
import {
  Activity,
  BookOpen,
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
import { NavLink } from "react-router";
import { useScope, type Operation } from "../data/scope.ts";
import classes from "./layout.module.css";

/** `needs` is the operation without which the page has nothing to show. */
type Item = { page: string; label: string; icon: LucideIcon; needs: Operation };

const MAIN: Item[] = [
  { page: "overview", label: "Overview", icon: LayoutDashboard, needs: "listBalances" },
  { page: "playground", label: "Playground", icon: Sparkles, needs: "createPlaygroundVideo" },
  { page: "generations", label: "Generations", icon: Clapperboard, needs: "listGenerations" },
  { page: "requests", label: "Requests", icon: Activity, needs: "listRequestLog" },
  { page: "billing", label: "Usage and billing", icon: ChartColumn, needs: "retrieveStatement" },
];

const SETTINGS: Item[] = [
  { page: "settings/keys", label: "API keys", icon: KeyRound, needs: "listKeys" },
  { page: "settings/webhooks", label: "Webhooks", icon: Webhook, needs: "listDeliveries" },
  { page: "settings/members", label: "Members", icon: Users, needs: "listMembers" },
  {
    page: "settings/audit-log",
    label: "Audit log",
    icon: ScrollText,
    needs: "listAuditEntries",
  },
  { page: "settings/account", label: "Account", icon: Settings, needs: "retrieveAccount" },
];

export function PageNav({ onNavigate }: { onNavigate: () => void }) {
  const { to, may } = useScope();
  const links = (items: Item[]) =>
    items
      .filter(({ needs }) => may(needs))
      .map(({ page, label, icon: Icon }) => (
        <NavLink key={page} to={to(page)} className={classes.link} onClick={onNavigate}>
          <Icon size={17} aria-hidden />
          {label}
        </NavLink>
      ));
  return (
    <Stack gap={2}>
      {links(MAIN)}
      <Text size="xs" fw={600} c="dimmed" mt="lg" mb={4} px={10}>
        Settings
      </Text>
      {links(SETTINGS)}
      <Divider my="sm" />
      <a href="/docs" className={classes.link}>
        <BookOpen size={17} aria-hidden />
        API reference
      </a>
    </Stack>
  );
}
