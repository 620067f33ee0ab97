/** The layout of the user's own page, which belongs to no account; sends visitors to sign-in. */
import { Anchor, Box, Container, Group } from "@mantine/core";
import { ArrowLeft } from "lucide-react";
import { Suspense } from "react";
import { Link, Navigate, Outlet, useLocation } from "react-router";
import { PageLoading, QueryResult } from "../components/states.tsx";
import { UserContext } from "../data/scope.ts";
import { useSession } from "../session/session.ts";
import { signInPath } from "../session/sign-in-path.ts";
import { ColorSchemeButton } from "./color-scheme-button.tsx";
import classes from "./layout.module.css";
import { Logo } from "./logo.tsx";

export function ProfileLayout() {
  const session = useSession();
  const { pathname, search } = useLocation();
  if (!session.data) return <QueryResult query={session} loading={<PageLoading />} />;
  const { user } = session.data;
  if (!user) return <Navigate to={signInPath(session.data, pathname + search, false)} replace />;
  return (
    <UserContext value={user}>
      <Box component="header" className={classes.header}>
        <Group h={56} px="md" justify="space-between" wrap="nowrap">
          <Logo />
          <Group gap="sm" wrap="nowrap">
            <Group component="nav" aria-label="Pages">
              <Anchor component={Link} to="/" size="sm" c="var(--mantine-color-text)">
                <Group component="span" gap={6} wrap="nowrap">
                  <ArrowLeft size={15} aria-hidden />
                  Back to the overview
                </Group>
              </Anchor>
            </Group>
            <ColorSchemeButton />
          </Group>
        </Group>
      </Box>
      <Container component="main" size={1120} px={{ base: "md", sm: "xl" }} py="xl">
        <Suspense fallback={<PageLoading />}>
          <Outlet />
        </Suspense>
      </Container>
    </UserContext>
  );
}
