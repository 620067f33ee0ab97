/** What is shown instead of data: that it loads, is empty, failed or is missing; and lists, with all of these states. */
import {
  Alert,
  Button,
  Center,
  Group,
  Loader,
  Skeleton,
  Stack,
  Text,
  ThemeIcon,
  VisuallyHidden,
} from "@mantine/core";
import { CircleAlert, type LucideIcon, SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { messageOf, Refusal } from "../api/refusal.ts";
import { BusyButton, useIsAtField } from "./form/form.tsx";
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import { Link, useLocation } from "react-router";
import { useScope } from "../data/scope.ts";

export function PageLoading() {
  return (
    <Center mih={240} role="status">
      <Loader size="sm" type="dots" />
      <VisuallyHidden>Loading</VisuallyHidden>
    </Center>
  );
}

/** Grey bars of the rows' size, so that the layout does not move when the rows arrive. */
export function RowsLoading({ rows = 5, height = 36 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" role="status">
      <VisuallyHidden>Loading</VisuallyHidden>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} height={height} radius="sm" />
      ))}
    </Stack>
  );
}

type EmptyProps = {
  icon: LucideIcon;
  title: string;
  /** 1 where the title is the page's only heading. */
  order?: 1;
  children?: ReactNode;
  action?: ReactNode;
};

export function Empty({ icon: Icon, title, order, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md">
      <ThemeIcon size={48} radius="xl" variant="light">
        <Icon size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600} mt={4} ta="center" component={order === 1 ? "h1" : "p"}>
        {title}
      </Text>
      {children && (
        <Text size="sm" c="dimmed" ta="center" maw={420}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const isAtField = useIsAtField(error);
  if (isAtField) return null;
  const requestId = error instanceof Refusal ? error.requestId : undefined;
  return (
    <Alert color="red" variant="light" role="alert" icon={<CircleAlert aria-hidden />}>
      <Group justify="space-between" align="center">
        <div>
          <Text size="sm">{messageOf(error)}</Text>
          {requestId && (
            <Text size="xs" c="dimmed">
              Request <span className="mono">{requestId}</span>
            </Text>
          )}
        </div>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}

const MISSING_STATUSES: ReadonlySet<number> = new Set([404, 410]);

type QueryResultProps<T> = {
  query: UseQueryResult<T>;
  loading?: ReactNode;
  /** Shown when there is no such thing, or no longer. */
  missing?: ReactNode;
  children: (data: T) => ReactNode;
};

export function QueryResult<T>({ query, loading, missing, children }: QueryResultProps<T>) {
  const { error } = query;
  // A deletion is shown even when an earlier response is still in the cache.
  if (missing && error instanceof Refusal && MISSING_STATUSES.has(error.status)) return missing;
  if (query.data !== undefined) return children(query.data);
  if (error) return <Failure error={error} retry={() => void query.refetch()} />;
  return loading ?? <RowsLoading />;
}

type ShowMoreProps = {
  list: Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">;
  label?: string;
  /** A note above the button. */
  children?: ReactNode;
};

export function ShowMore({ list, label = "Show more", children }: ShowMoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <Stack align="center" gap={6} mt="md">
      {children}
      <BusyButton
        variant="default"
        isBusy={list.isFetchingNextPage}
        onClick={() => void list.fetchNextPage()}
      >
        {label}
      </BusyButton>
    </Stack>
  );
}

type MissingProps = { title: string; page: string; pageName: string; children: ReactNode };

export function Missing({ title, page, pageName, children }: MissingProps) {
  const { to, mode } = useScope();
  const { pathname } = useLocation();
  const other = mode === "live" ? "test" : "live";
  const samePage = pathname.split("/").slice(3).join("/");
  return (
    <>
      <title>{`${title} · Media dashboard`}</title>
      <Empty
        icon={SearchX}
        title={title}
        order={1}
        action={
          <Group mt="xs">
            <Button component={Link} to={to(samePage, other)} variant="light">
              {`Look in ${other} mode`}
            </Button>
            <Button component={Link} to={to(page)} variant="default">
              {`Back to ${pageName}`}
            </Button>
          </Group>
        }
      >
        {children}
      </Empty>
    </>
  );
}

type DataListProps<Row> = {
  list: UseInfiniteQueryResult<InfiniteData<{ data: readonly Row[] }>>;
  loading?: ReactNode;
  /** Shown where there is nothing at all. */
  empty: ReactNode;
  /** Takes the filters away; undefined while there are none. */
  onClear?: (() => void) | undefined;
  /** The list goes through old entries to find more. */
  isSearch?: boolean;
  more?: string;
  children: (rows: Row[]) => ReactNode;
};

export function DataList<Row>(props: DataListProps<Row>) {
  const { list, loading, empty, onClear, isSearch = false, children } = props;
  const more = props.more ?? (isSearch ? "Search older" : "Show more");
  const isAll = !list.hasNextPage;
  return (
    <>
      <QueryResult query={list} loading={loading}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          if (rows.length > 0) return children(rows);
          if (!onClear) return empty;
          return (
            <Empty
              icon={SearchX}
              title={isAll ? "No matches" : "Nothing found so far"}
              action={
                <Button variant="light" mt="xs" onClick={onClear}>
                  Clear the filters
                </Button>
              }
            />
          );
        }}
      </QueryResult>
      <ShowMore list={list} label={more} />
    </>
  );
}
