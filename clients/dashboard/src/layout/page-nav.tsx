/** The navigation: every page of an account, in the order in which a developer needs them. */
import { Divider, Stack, Text } from "@mantine/core";
import {
  BookOpen,
  ChartColumn,
  Clapperboard,
  KeyRound,
  LayoutDashboard,
  Settings,
  Sparkles,
  Users,
  Webhook,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { NavLink } from "react-router";
import { useScope } from "../session/scope.ts";
import classes from "./layout.module.css";

type Item = { page: string; label: string; icon: LucideIcon };

const MAIN: Item[] = [
  { page: "overview", label: "Overview", icon: LayoutDashboard },
  { page: "playground", label: "Playground", icon: Sparkles },
  { page: "generations", label: "Generations", icon: Clapperboard },
  { page: "billing", label: "Usage and billing", icon: ChartColumn },
];

const SETTINGS: Item[] = [
  { page: "settings/keys", label: "API keys", icon: KeyRound },
  { page: "settings/webhooks", label: "Webhooks", icon: Webhook },
  { page: "settings/members", label: "Members", icon: Users },
  { page: "settings/account", label: "Account", icon: Settings },
];

export function PageNav({ onNavigate }: { onNavigate: () => void }) {
  const { to } = useScope();
  const links = (items: Item[]) =>
    items.map(({ page, label, icon: Icon }) => (
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
