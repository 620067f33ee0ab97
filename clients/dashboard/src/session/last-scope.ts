/** Remembers in the browser which account and mode were used last, by account id and mode only. */
import type { Account, Mode } from "../api/client.ts";

const KEY = "media.last-place";

export type LastScope = { accountId: string; mode: Mode };

export function rememberScope({ accountId, mode }: LastScope): void {
  localStorage.setItem(KEY, `${accountId} ${mode}`);
}

/**
 * The scope used last if the user still belongs to that account, else the first account in test mode, where nothing costs
 * anything; undefined without accounts.
 */
export function startingScope(accounts: readonly Account[]): LastScope | undefined {
  const [accountId, mode] = (localStorage.getItem(KEY) ?? "").split(" ");
  const last = accounts.find(({ id }) => id === accountId);
  const account = last ?? accounts[0];
  return account && { accountId: account.id, mode: last && mode === "live" ? mode : "test" };
}
