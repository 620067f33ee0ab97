/** The account and the mode that the address names, for everything inside the frame. */
import { createContext, useContext } from "react";
import type { Mode } from "../api/client.ts";
import type { Account, Session } from "./session.ts";

export type PlaceContext = {
  account: Account;
  mode: Mode;
  user: NonNullable<Session["user"]>;
  /** What every query key of this account and mode begins with. */
  scope: readonly [accountId: string, mode: Mode];
  /** The address of a page of this account and mode, e.g. `to("settings/keys")`. */
  to: (page: string) => string;
  /** Path and query of the routes that belong to an account and mode. */
  params: { path: { account_id: string }; query: { mode: Mode } };
};

export const Place = createContext<PlaceContext | undefined>(undefined);

export function usePlace(): PlaceContext {
  const place = useContext(Place);
  if (place === undefined) throw new Error("usePlace belongs inside the frame");
  return place;
}

export function placeOf(account: Account, mode: Mode, user: PlaceContext["user"]): PlaceContext {
  return {
    account,
    mode,
    user,
    scope: [account.id, mode],
    to: (page) => `/${account.id}/${mode}/${page}`,
    params: { path: { account_id: account.id }, query: { mode } },
  };
}
