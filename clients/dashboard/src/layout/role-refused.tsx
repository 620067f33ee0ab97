/** In place of a page that the user's role may not see: which roles may. */
import { Ban } from "lucide-react";
import type { ReactNode } from "react";
import { ROLES } from "#gen/openapi/dashboard-roles.ts";
import { Empty } from "../components/empty.tsx";
import { useScope } from "../data/scope.ts";
import { pageAt } from "./pages.ts";

/** `pathname`: that of a page of the account. */
export function ForRole({ pathname, children }: { pathname: string; children: ReactNode }) {
  const { account, may } = useScope();
  const page = pageAt(pathname.split("/").slice(3).join("/"));
  if (!page || may(page.needs)) return children;
  return (
    <>
      <title>{`${page.label} · Media dashboard`}</title>
      <Empty icon={Ban} title={`${page.label} is not for your role`} order={1}>
        Your role in this account is {account.role}. This page is for:{" "}
        {ROLES[page.needs].join(", ")}. An owner can change your role.
      </Empty>
    </>
  );
}
