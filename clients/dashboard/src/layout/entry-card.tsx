/** The layout of the pages outside an account: sign-in, sign-up and invitation. */
import { Anchor, Box, Card, Center, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { ColorSchemeButton } from "./color-scheme-button.tsx";
import classes from "./layout.module.css";
import { Logo } from "./logo.tsx";

/** `foot` leads to other pages. */
type Props = { title: string; foot?: ReactNode; children: ReactNode };

export function EntryCard({ title, foot, children }: Props) {
  return (
    <Box className={classes.entry} mih="100dvh">
      <title>{`${title} · Media dashboard`}</title>
      <Group component="header" justify="space-between" p="md">
        <Logo />
        <ColorSchemeButton />
      </Group>
      <Center component="main" px="md" pb={96} pt={{ base: "lg", sm: 64 }}>
        <Stack w="100%" maw={400}>
          <Card padding="xl" shadow="sm">
            <Title order={1} fz={22} mb="lg">
              {title}
            </Title>
            <Stack>
              {children}
              {foot && (
                <Text size="sm" ta="center" c="dimmed">
                  {foot}
                </Text>
              )}
            </Stack>
          </Card>
          <Text size="xs" c="dimmed" ta="center">
            Building against the API?{" "}
            <Anchor href="/docs" size="xs" underline="always">
              Read the reference
            </Anchor>
          </Text>
        </Stack>
      </Center>
    </Box>
  );
}
