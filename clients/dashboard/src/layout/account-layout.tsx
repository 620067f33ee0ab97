/** The layout around every page of an account; sends visitors to sign-in, and shows NotFound to non-members. */
import {
  Alert,
  AppShell,
  Burger,
  Container,
  Divider,
  Group,
  NavLink,
  ScrollArea,
  SegmentedControl,
  Stack,
  Text,
} from "@mantine/core";
import { useDebouncedCallback, useDisclosure, useHotkeys, useNetwork } from "@mantine/hooks";
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useState } from "react";
import { Link, Navigate, Outlet, useLocation, useNavigate, useParams } from "react-router";
import type { Account, Mode } from "../api/client.ts";
import { FaultBoundary } from "../faults/fault-boundary.tsx";
import NotFound from "./not-found.tsx";
import { Empty, EmptyAction, PageLoading, QueryResult } from "../components/states.tsx";
import { rememberScope } from "../session/last-scope.ts";
import { NoticeContext, rolesOf, ScopeContext, scopeOf, usePage, useScope } from "../data/scope.ts";
import { useSession } from "../session/session.ts";
import { signInPath } from "../session/sign-in-path.ts";
import { AccountMenu } from "./account-menu.tsx";
import classes from "./layout.module.css";
import { Logo } from "./logo.tsx";
import { Search } from "./search.tsx";
import { ColorSchemeButton } from "./color-scheme-button.tsx";
import { Ban, BookOpen, FlaskConical, UserX } from "lucide-react";
import { type AccountPage, MAIN_PAGES, pageAt, SETTINGS_PAGES } from "./pages.ts";
import { AskOperators } from "../components/ask-operators.tsx";
import { optionsOf } from "../components/filter-fields.tsx";

export function AccountLayout() {
  const { accountId, mode } = useParams();
  const { pathname, search } = useLocation();
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
  /** The account that this document has shown last. */
  const [shown, setShown] = useState<Account>();
  useEffect(() => {
    if (!scope) return;
    rememberScope({ accountId: scope.account.id, mode: scope.mode });
    setShown(scope.account);
  }, [scope]);

  if (!session.data) return <QueryResult query={session} loading={<PageLoading />} />;
  if (!user) {
    return (
      <Navigate to={signInPath(session.data, pathname + search, shown !== undefined)} replace />
    );
  }
  if (!account && shown && shown.id === accountId)
    return (
      <Empty
        icon={UserX}
        title={`You are no longer a member of ${shown.name}`}
        isPage
        action={<EmptyAction to="/">Go to your accounts</EmptyAction>}
      >
        You left it, or an owner removed you. What you made there stays with the account; an owner
        can invite you again.
      </Empty>
    );
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
  useHotkeys([["Escape", menu.close]]);
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
              opened={isOpen}
              onClick={menu.toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={isOpen ? "Close the menu" : "Open the menu"}
              aria-expanded={isOpen}
            />
            <Logo nameFrom="xs" />
          </Group>
          <Group gap="sm" wrap="nowrap">
            <Search />
            <ModeSwitch />
            <ColorSchemeButton />
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
          <PageNav onNavigate={menu.close} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Container size={1120} px={{ base: "md", sm: "xl" }} py="xl">
          <AccountNotice />
          <FaultBoundary page={pathname}>
            <Suspense fallback={<PageLoading />}>
              <ForRole>
                <Outlet />
              </ForRole>
            </Suspense>
          </FaultBoundary>
        </Container>
      </AppShell.Main>
    </AppShell>
  );
}

function ForRole({ children }: { children: ReactNode }) {
  const { account, may } = useScope();
  const page = pageAt(usePage());
  if (!page || may(page.needs)) return children;
  return (
    <Empty icon={Ban} title={`${page.label} is not for your role`} isPage>
      Your role in this account is {account.role}. This page is for:{" "}
      {rolesOf(page.needs).join(", ")}. An owner can change your role.
    </Empty>
  );
}

function PageNav({ onNavigate }: { onNavigate: () => void }) {
  const { to, may } = useScope();
  const current = pageAt(usePage());
  const links = (items: AccountPage[]) =>
    items.map(
      (item) =>
        item.icon &&
        may(item.needs) && (
          <NavLink
            key={item.page}
            component={Link}
            to={to(item.page)}
            label={item.label}
            leftSection={<item.icon size={17} aria-hidden />}
            active={item === current}
            aria-current={item === current && "page"}
            bdrs="md"
            onClick={onNavigate}
          />
        ),
    );
  return (
    <Stack gap={2}>
      {links(MAIN_PAGES)}
      <Text size="xs" fw={600} c="dimmed" mt="lg" mb={4} px={10}>
        Settings
      </Text>
      {links(SETTINGS_PAGES)}
      <Divider my="sm" />
      <NavLink
        href="/docs"
        label="API reference"
        leftSection={<BookOpen size={17} aria-hidden />}
        bdrs="md"
      />
    </Stack>
  );
}

function AccountNotice() {
  const { account, mode } = useScope();
  if (account.suspended) {
    return (
      <Alert color="red" mb="lg" icon={<Ban aria-hidden />} title="This account is suspended">
        It cannot generate anything new; everything it has can still be read. Ask operations to
        restore the account.
      </Alert>
    );
  }
  if (mode === "live" && !account.production_granted) {
    return (
      <Alert
        color="yellow"
        mb="lg"
        icon={<FlaskConical aria-hidden />}
        title="Production access has not been granted yet"
      >
        <Stack gap="xs">
          <span>
            This account works in test mode, with the same rules and prices. With production access
            you can create live keys.
          </span>
          <AskOperators kind="production" />
        </Stack>
      </Alert>
    );
  }
  return null;
}

const DETAIL_PAGE = /^(generations|settings\/webhooks)\/.*/;

const MEANINGS = {
  test: "Test mode: simulated outputs and test Tokens; nothing is spent",
  live: "Live mode: real outputs and real Tokens",
};

function ModeSwitch() {
  const { account, mode } = useScope();
  const navigate = useNavigate();
  // One generation or delivery belongs to one mode, so the other mode shows the list instead.
  const counterpart = usePage().replace(DETAIL_PAGE, "$1");
  return (
    <SegmentedControl
      size="xs"
      // High enough for a finger.
      styles={{ label: { paddingBlock: 7 } }}
      aria-label="Mode"
      title={MEANINGS[mode]}
      color={mode === "test" ? "yellow.3" : "teal.9"}
      autoContrast
      value={mode}
      onChange={(value) => void navigate(`/${account.id}/${value as Mode}/${counterpart}`)}
      data={optionsOf({ test: "Test", live: "Live" })}
    />
  );
}

const SHOWN_MS = 10_000;

/** The element around it announces it. */
const NOTICE = { variant: "filled", color: "teal.9", py: "xs", role: "none" };

function NoticeBar({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<string>();
  const { online } = useNetwork();
  const { isError } = useSession();
  const fault = online ? isError && "The service does not answer." : "You are offline.";
  const hide = useDebouncedCallback(() => setNotice(undefined), SHOWN_MS);
  const say = useCallback((text: string) => (setNotice(text), hide()), [hide]);
  return (
    <NoticeContext value={say}>
      {children}
      <div className={classes.noticePlace}>
        {/* The elements are always there, because screen readers announce only what appears in them. */}
        <div role="status" aria-label="Connection">
          {fault && <Alert {...NOTICE}>{fault} What you see may be out of date.</Alert>}
        </div>
        <div role="status" aria-label="Confirmation">
          {notice && (
            <Alert
              {...NOTICE}
              withCloseButton
              closeButtonLabel="Close the confirmation"
              onClose={() => setNotice(undefined)}
            >
              {notice}
            </Alert>
          )}
        </div>
      </div>
    </NoticeContext>
  );
}
