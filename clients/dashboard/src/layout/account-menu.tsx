/** The menu with the current account, the user's other accounts and profile, and sign-out. */
import { Avatar, Group, Menu, Text, UnstyledButton } from "@mantine/core";
import { Check, ChevronsUpDown, CircleUserRound, LogOut } from "lucide-react";
import { Link, useNavigate } from "react-router";
import { useScope } from "../data/scope.ts";
import { useSession, useSignOut } from "../session/session.ts";
import { Note } from "../components/texts.tsx";

export function AccountMenu() {
  const { account, mode, user } = useScope();
  const session = useSession();
  const signOut = useSignOut();
  const navigate = useNavigate();
  return (
    <Menu position="bottom-start" width={232} withinPortal>
      <Menu.Target>
        <UnstyledButton w="100%" p={6}>
          <Group gap={10} wrap="nowrap">
            <Avatar size={30} radius="md" color="indigo" variant="filled" aria-hidden>
              {account.name.slice(0, 1).toUpperCase()}
            </Avatar>
            <div style={{ minWidth: 0, flex: 1 }}>
              <Text size="sm" fw={600} truncate>
                {account.name}
              </Text>
              <Note truncate>{user.email}</Note>
            </div>
            <ChevronsUpDown size={15} aria-hidden />
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Accounts</Menu.Label>
        {session.data?.accounts.map(({ id, name }) => (
          <Menu.Item
            key={id}
            rightSection={id === account.id ? <Check size={14} aria-label="current" /> : undefined}
            onClick={() => void navigate(`/${id}/${mode}/overview`)}
          >
            {name}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          component={Link}
          to="/profile"
          leftSection={<CircleUserRound size={15} aria-hidden />}
        >
          Your profile
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={15} aria-hidden />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
