/** The account and mode named by the URL, for every component inside AccountLayout. */
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
