/** The navigation: every page of an account, in the order in which a developer needs them. */
import { Divider, Stack, Text } from "@mantine/core";
import { BookOpen } from "lucide-react";
import { NavLink } from "react-router";
import { useScope } from "../data/scope.ts";
import classes from "./layout.module.css";
import { isInMenu, MAIN_PAGES, SETTINGS_PAGES, type AccountPage } from "./pages.ts";

export function PageNav({ onNavigate }: { onNavigate: () => void }) {
  const { to, may } = useScope();
  const links = (items: AccountPage[]) =>
    items
      .filter((item) => isInMenu(item) && may(item.needs))
      .map(({ page, label, icon: Icon }) => (
        <NavLink key={page} to={to(page)} className={classes.link} onClick={onNavigate}>
          <Icon size={17} aria-hidden />
          {label}
        </NavLink>
      ));
  return (
    <Stack gap={2}>
      {links(MAIN_PAGES)}
      <Text size="xs" fw={600} c="dimmed" mt="lg" mb={4} px={10}>
        Settings
      </Text>
      {links(SETTINGS_PAGES)}
      <Divider my="sm" />
      <a href="/docs" className={classes.link}>
        <BookOpen size={17} aria-hidden />
        API reference
      </a>
    </Stack>
  );
}
