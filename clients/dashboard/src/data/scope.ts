/** The account and mode of the URL, the signed-in user, and confirmations, for every component below. */
import { createContext, useContext } from "react";
import { ROLES } from "#gen/openapi/dashboard-roles.ts";
import type { Account, Mode, Session } from "../api/client.ts";

/** An operation on an account, by its id in openapi/dashboard.yaml. */
export type Operation = keyof typeof ROLES;

export type Scope = {
  account: Account;
  mode: Mode;
  user: NonNullable<Session["user"]>;
  /** The first two parts of every query key of this account and mode. */
  keyPrefix: readonly [accountId: string, mode: Mode];
  /** The path of a page of this account and mode, or of the named mode, e.g. `to("settings/keys")`. */
  to: (page: string, ofMode?: Mode) => string;
  /** Whether the user's role may call the operation; the server decides, pages only hide what it would refuse. */
  may: (operation: Operation) => boolean;
  /** Path and query parameters of API routes that take an account and a mode. */
  params: { path: { account_id: string }; query: { mode: Mode } };
};

export const ScopeContext = createContext<Scope | undefined>(undefined);

export function useScope(): Scope {
  const scope = useContext(ScopeContext);
  if (scope === undefined) throw new Error("useScope must be used inside AccountLayout");
  return scope;
}

export function scopeOf(account: Account, mode: Mode, user: Scope["user"]): Scope {
  return {
    account,
    mode,
    user,
    keyPrefix: [account.id, mode],
    to: (page, ofMode = mode) => `/${account.id}/${ofMode}/${page}`,
    may: (operation) => ROLES[operation].some((role) => role === account.role),
    params: { path: { account_id: account.id }, query: { mode } },
  };
}

type User = NonNullable<Session["user"]>;

export const UserContext = createContext<User | undefined>(undefined);

export function useUser(): User {
  const user = useContext(UserContext);
  if (user === undefined) throw new Error("useUser must be used inside ProfileLayout");
  return user;
}

/** NoticeBar provides it. */
export const NoticeContext = createContext<(text: string) => void>(() => {});

/** The function that shows a confirmation, which replaces an earlier one. */
export function useNotice(): (text: string) => void {
  return useContext(NoticeContext);
}
