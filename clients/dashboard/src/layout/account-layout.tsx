/** The layout around every page of an account; sends visitors to sign-in, and shows NotFound to non-members. */
import { AppShell, Burger, Container, Group, ScrollArea } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Suspense, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { Navigate, Outlet, useLocation, useParams } from "react-router";
import type { Account, Session } from "../api/client.ts";
import { FaultBoundary } from "../faults/fault-boundary.tsx";
import NotFound from "./not-found.tsx";
import { Failure } from "../components/failure.tsx";
import { PageLoading } from "../components/loading.tsx";
import { rememberScope } from "../session/last-scope.ts";
import { MembershipEnded } from "./membership-ended.tsx";
import { ScopeContext, scopeOf } from "../data/scope.ts";
import { useSession } from "../session/session.ts";
import { signInPath } from "../session/sign-in-path.ts";
import { AccountMenu } from "./account-menu.tsx";
import { AccountNotice } from "./account-notice.tsx";
import classes from "./layout.module.css";
import { Logo } from "./logo.tsx";
import { ModeSwitch } from "./mode-switch.tsx";
import { ForRole } from "./role-refused.tsx";
import { Search } from "./search.tsx";
import { NoticeBar } from "./notice-bar.tsx";
import { PageNav } from "./page-nav.tsx";
import { ColorSchemeMenu } from "./color-scheme-menu.tsx";

export function AccountLayout() {
  const { accountId, mode } = useParams();
  const { pathname } = useLocation();
  const session = useSession();
  const user = session.data?.user;
  const account = session.data?.accounts.find(({ id }) => id === accountId);
  const scope = useMemo(
    () =>
      user && account && (mode === "live" || mode === "test")
        ? scopeOf(account, mode, user)
        : undefined,
    [user, account, mode],
  );
  /** The account that this document has shown last, and the session at that time. */
  const [shown, setShown] = useState<{ account: Account; session: Session }>();
  useEffect(() => {
    if (!scope || !session.data) return;
    rememberScope({ accountId: scope.account.id, mode: scope.mode });
    setShown({ account: scope.account, session: session.data });
  }, [scope, session.data]);

  if (session.data === undefined) {
    if (!session.error) return <PageLoading />;
    return <Failure error={session.error} retry={() => void session.refetch()} />;
  }
  if (!user) {
    return <Navigate to={signInPath(session.data, pathname, shown?.session)} replace />;
  }
  if (!account && shown && shown.account.id === accountId)
    return <MembershipEnded accountName={shown.account.name} />;
  if (!scope) return <NotFound />;
  return (
    <ScopeContext value={scope}>
      <NoticeBar>
        <PageShell />
      </NoticeBar>
    </ScopeContext>
  );
}

function PageShell() {
  const [isOpen, menu] = useDisclosure(false);
  const burger = useRef<HTMLButtonElement>(null);
  const content = useRef<HTMLElement>(null);
  /** The closed menu is hidden where the window is narrow: what had the focus in it gives it to `next`. */
  const close = (next: RefObject<HTMLElement | null>) => {
    if (isOpen) next.current?.focus();
    menu.close();
  };
  useHotkeys([["Escape", () => close(burger)]]);
  const { pathname } = useLocation();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: "md", collapsed: { mobile: !isOpen } }}
      padding={0}
    >
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header className={classes.header} withBorder={false}>
        <Group h={56} px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              ref={burger}
              opened={isOpen}
              onClick={menu.toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={isOpen ? "Close the menu" : "Open the menu"}
              aria-expanded={isOpen}
            />
            <Logo />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <Search />
            <ModeSwitch />
            <ColorSchemeMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        className={classes.navbar}
        data-closed={!isOpen || undefined}
        withBorder={false}
        p="sm"
        aria-label="Pages"
      >
        <AppShell.Section mb="sm">
          <AccountMenu />
        </AppShell.Section>
        <AppShell.Section grow component={ScrollArea}>
          <PageNav onNavigate={() => close(content)} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main ref={content} id="content" tabIndex={-1}>
        <Container size={1120} px={{ base: "md", sm: "xl" }} py="xl">
          <AccountNotice />
          <FaultBoundary page={pathname}>
            <Suspense fallback={<PageLoading />}>
              <ForRole pathname={pathname}>
                <Outlet />
              </ForRole>
            </Suspense>
          </FaultBoundary>
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}
