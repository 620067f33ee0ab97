/** What is shown instead of data: that it loads, is empty, failed or is missing. */
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
import { Link } from "react-router";
import { messageOf, Refusal } from "../api/refusal.ts";
import { usePage, useScope } from "../data/scope.ts";
import { Message } from "./form/message.tsx";

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
  /** Whether the title is the page's heading, and that of the browser's tab. */
  isPage?: boolean;
  children?: ReactNode;
  action?: ReactNode;
};

export function Empty({ icon: Icon, title, isPage = false, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py={isPage ? 96 : 48} px="md">
      {isPage && <title>{`${title} · Media dashboard`}</title>}
      <ThemeIcon size={48} radius="xl" variant="light">
        <Icon size={22} aria-hidden />
      </ThemeIcon>
      <Text fw={600} mt={4} ta="center" component={isPage ? "h1" : "p"}>
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

/** The button of an empty state: a link, or what it does. */
export function EmptyAction(
  props: ({ to: string } | { onClick: () => void }) & { children: ReactNode },
) {
  const shared = { variant: "light", mt: "xs" };
  return "to" in props ? (
    <Button component={Link} {...shared} {...props} />
  ) : (
    <Button {...shared} {...props} />
  );
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  // What the user did wrong is no matter for operators.
  const requestId = error instanceof Refusal && error.status >= 500 ? error.requestId : undefined;
  return (
    <Alert color="red" variant="light" role="alert" icon={<CircleAlert aria-hidden />}>
      <Group justify="space-between" align="center">
        <div>
          <Text size="sm">
            <Message text={messageOf(error)} />
          </Text>
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

type QueryResultProps<T> = {
  query: { data: T | undefined; error: Error | null; refetch: () => unknown };
  loading?: ReactNode;
  /** Shown when there is no such thing, or no longer. */
  missing?: ReactNode;
  /** Absent where the caller shows the data, and this only that it is loading or has failed. */
  children?: (data: T) => ReactNode;
};

export function QueryResult<T>({ query, loading, missing, children }: QueryResultProps<T>) {
  const { error } = query;
  // A deletion is shown even when an earlier response is still in the cache.
  if (missing && error instanceof Refusal && [404, 410].includes(error.status)) return missing;
  if (query.data !== undefined) return children?.(query.data);
  if (error) return <Failure error={error} retry={() => void query.refetch()} />;
  return loading ?? <RowsLoading />;
}

type OneProps<T> = Pick<QueryResultProps<T>, "query" | "children"> & {
  /** What it is: "generation". */
  noun: string;
  /** The page of all, and what it lists. */
  page: string;
  all: string;
};

/** What the page of one thing shows; where there is none, it leads to the other mode and to all. */
export function OneResult<T>({ noun, page, all, ...result }: OneProps<T>) {
  const { to, mode } = useScope();
  const samePage = usePage();
  const other = mode === "live" ? "test" : "live";
  const { error } = result.query;
  const isDeleted = error instanceof Refusal && error.status === 410;
  const missing = (
    <Empty
      icon={SearchX}
      title={isDeleted ? `This ${noun} was deleted` : `No such ${noun}`}
      isPage
      action={
        <Group justify="center">
          {!isDeleted && (
            <EmptyAction to={to(samePage, other)}>{`Look in ${other} mode`}</EmptyAction>
          )}
          <EmptyAction to={to(page)}>{`Back to the ${all}`}</EmptyAction>
        </Group>
      }
    >
      {isDeleted
        ? messageOf(error)
        : "It was deleted, or it belongs to the other mode or another account."}
    </Empty>
  );
  const loading = <Skeleton height={420} radius="lg" />;
  return <QueryResult {...result} loading={loading} missing={missing} />;
}
