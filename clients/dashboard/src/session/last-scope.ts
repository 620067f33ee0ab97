/** Where the person was last, kept in the browser: an account's id and a mode, nothing else. */
import type { Mode } from "../api/client.ts";
import type { Account } from "./session.ts";

const KEY = "media.last-place";

export type Place = { accountId: string; mode: Mode };

export function rememberPlace({ accountId, mode }: Place): void {
  localStorage.setItem(KEY, `${accountId} ${mode}`);
}

/** The last place if it is still open to the person, else the first account; undefined where there is none. */
export function startingPlace(accounts: readonly Account[]): Place | undefined {
  const [accountId, mode] = (localStorage.getItem(KEY) ?? "").split(" ");
  const kept = accounts.find(({ id }) => id === accountId);
  const account = kept ?? accounts[0];
  if (account === undefined) return undefined;
  if (kept && (mode === "live" || mode === "test")) return { accountId: kept.id, mode };
  return { accountId: account.id, mode: account.production_granted ? "live" : "test" };
}
