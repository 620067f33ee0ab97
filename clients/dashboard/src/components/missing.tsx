/** The message in place of something that does not exist or was deleted, with a link back to the list. */
import { Button } from "@mantine/core";
import { SearchX } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { useScope } from "../data/scope.ts";
import { Empty } from "./empty.tsx";

type Props = { title: string; page: string; pageName: string; children: ReactNode };

export function Missing({ title, page, pageName, children }: Props) {
  const { to } = useScope();
  return (
    <>
      <title>{`${title} · Media dashboard`}</title>
      <Empty
        icon={SearchX}
        title={title}
        order={1}
        action={
          <Button component={Link} to={to(page)} variant="light" mt="xs">
            {`Back to ${pageName}`}
          </Button>
        }
      >
        {children}
      </Empty>
    </>
  );
}
