/** The message in place of something that does not exist or was deleted, with links to the other mode and back to the list. */
import { Button, Group } from "@mantine/core";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Link, useLocation } from "react-router";
import { useScope } from "../data/scope.ts";
import { Empty } from "./empty.tsx";

type Props = { title: string; page: string; pageName: string; children: ReactNode };

export function Missing({ title, page, pageName, children }: Props) {
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
