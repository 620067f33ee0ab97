/** The account and mode of the URL, the signed-in user, and confirmations, for every component below. */
import { createContext, useContext } from "react";
import { useLocation } from "react-router";
import { OPERATIONS } from "#gen/openapi/dashboard-operations.ts";
import type { Account, Mode, Operation, Session } from "../api/client.ts";

type User = NonNullable<Session["user"]>;
export type Scope = ReturnType<typeof scopeOf>;

/** Undefined outside the pages of an account. */
export const ScopeContext = createContext<Scope | undefined>(undefined);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (scope === undefined) throw new Error("useScope must be used inside AccountLayout");
  return scope;
}

export function scopeOf(account: Account, mode: Mode, user: User) {
  return {
    account,
    mode,
    user,
    /** The path of a page of this account and mode, or of the named mode, e.g. `to("settings/keys")`. */
    to: (page: string, ofMode = mode) => `/${account.id}/${ofMode}/${page}`,
    /** Whether the user's role may call the operation; the server decides, pages only hide what it would refuse. */
    may: (operation: Operation) => rolesOf(operation).includes(account.role),
  };
}

/** The roles that may call an operation of an account. */
export function rolesOf(operation: Operation): readonly string[] {
  const facts = OPERATIONS[operation];
  return "roles" in facts ? facts.roles : [];
}

export const UserContext = createContext<User | undefined>(undefined);

export function useUser(): User {
  const scope = useContext(ScopeContext);
  const user = useContext(UserContext) ?? scope?.user;
  if (user === undefined) throw new Error("useUser must be used inside a layout");
  return user;
}

/** The page of the URL, below its account and mode, e.g. "settings/keys". */
export const usePage = (): string => useLocation().pathname.split("/").slice(3).join("/");

/** NoticeBar provides it. */
export const NoticeContext = createContext<(text: string) => void>(() => {});

/** The function that shows a confirmation, which replaces an earlier one. */
export const useNotice = (): ((text: string) => void) => useContext(NoticeContext);
