/** Where the dashboard opens: which account, and in which mode. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Account } from "../../../clients/dashboard/src/api/client.ts";
import { rememberScope, startingScope } from "../../../clients/dashboard/src/session/last-scope.ts";

const account = (id: string) => ({ id, production_granted: true }) as Account;
const ACCOUNTS = [account("acct_1"), account("acct_2")];

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});
afterEach(() => vi.unstubAllGlobals());

it("is the first account in test mode at a first sign-in, also with production access", () => {
  expect(startingScope(ACCOUNTS)).toEqual({ accountId: "acct_1", mode: "test" });
});

it("is where it was left, while the user belongs to that account", () => {
  rememberScope({ accountId: "acct_2", mode: "live" });
  expect(startingScope(ACCOUNTS)).toEqual({ accountId: "acct_2", mode: "live" });
  expect(startingScope([account("acct_1")])).toEqual({ accountId: "acct_1", mode: "test" });
  expect(startingScope([])).toBeUndefined();
});
