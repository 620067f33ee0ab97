/** Limits password guessing: attempts are counted per login, per address and per pair, shared by all replicas. */
import { createHash } from "node:crypto";
import type { Clock } from "#runtime/clock.ts";
import { addMs } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { Problem } from "../problem.ts";
import { countAttempt, deleteAttempts } from "../store/sign-in-attempts.ts";
import { clientNetwork } from "./client-network.ts";

export const ATTEMPT_WINDOW_MS = 15 * 60_000;

/**
 * Attempts per window. One address may try ten passwords of a login. All addresses together may try a hundred, which
 * makes it hard to lock somebody out. One address, which an office may share, may make two hundred attempts. Of IPv6 an address is its /64.
 */
const MAX_ATTEMPTS = { login: 100, address: 200, pair: 10 } as const;

export type SignInAttempts = {
  /** Counts an attempt on `login` (an e-mail or a user id) from `address`; throws 429 above the limits. */
  count: (login: string, address: string) => Promise<void>;
  /** Counts an attempt from `address` that names no login. */
  countAddress: (address: string) => Promise<void>;
  /** Resets the count of the pair after a correct password. */
  clear: (login: string, address: string) => Promise<void>;
};

export function signInAttempts({ sql, clock }: { sql: Sql; clock: Clock }): SignInAttempts {
  const countAll = async (keys: readonly Key[]) => {
    const at = clock.now();
    const windowStart = addMs(at, -ATTEMPT_WINDOW_MS);
    for (const [kind, key] of keys) {
      const row = await countAttempt(sql, key, at, windowStart);
      if (row.attempts <= MAX_ATTEMPTS[kind]) continue;
      const leftMs = addMs(row.windowStartedAt, ATTEMPT_WINDOW_MS).getTime() - at.getTime();
      throw tooMany(Math.max(1, Math.ceil(leftMs / 1_000)));
    }
  };
  return {
    count: (login, address) => countAll(keysOf(login, address)),
    countAddress: (address) => countAll(keysOf("", address).filter(([kind]) => kind === "address")),
    async clear(login, address) {
      for (const [kind, key] of keysOf(login, address)) {
        if (kind === "pair") await deleteAttempts(sql, key);
      }
    },
  };
}

function tooMany(seconds: number): Problem {
  return new Problem("too_many_attempts", {
    message: `Too many attempts. Try again in ${Math.ceil(seconds / 60)} minutes.`,
    headers: { "Retry-After": String(seconds) },
  });
}

type Key = [keyof typeof MAX_ATTEMPTS, string];

function keysOf(login: string, clientAddress: string): Key[] {
  const address = clientNetwork(clientAddress);
  const hash = (text: string) => createHash("sha256").update(text).digest("base64url");
  const name = login.toLowerCase();
  // The words in the hashes are stored values: changing them would reset all counts.
  return [
    ["pair", hash(`both\0${name}\0${address}`)],
    ["address", hash(`address\0${address}`)],
    ["login", hash(`person\0${name}`)],
  ];
}
