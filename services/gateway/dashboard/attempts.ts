/** Slows down who guesses: attempts are counted per person, per address and per both, for all replicas together. */
import { createHash } from "node:crypto";
import type { Clock } from "#runtime/clock.ts";
import { addMs } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { Problem } from "../problem.ts";
import { countAttempt, forgetAttempts } from "../store/sign-in-attempts.ts";

export const WINDOW_MS = 15 * 60_000;

/**
 * In a window. From one address ten passwords of a person can be tried; from all addresses a hundred, so that
 * others can hardly keep somebody out; and an address, which an office may share, has two hundred.
 */
const MOST = { person: 100, address: 200, both: 10 } as const;

export type Attempts = {
  /** Counts an attempt to be `person` from `address`; throws 429 where there were too many. */
  count: (person: string, address: string) => Promise<void>;
  /** Someone who knew the password has begun anew. */
  forget: (person: string, address: string) => Promise<void>;
};

export function signInAttempts({ sql, clock }: { sql: Sql; clock: Clock }): Attempts {
  return {
    async count(person, address) {
      const at = clock.now();
      const windowStart = addMs(at, -WINDOW_MS);
      for (const [kind, key] of keysOf(person, address)) {
        const row = await countAttempt(sql, key, at, windowStart);
        if (row.attempts <= MOST[kind]) continue;
        const leftMs = addMs(row.window_started_at, WINDOW_MS).getTime() - at.getTime();
        throw tooMany(Math.max(1, Math.ceil(leftMs / 1_000)));
      }
    },
    async forget(person, address) {
      for (const [kind, key] of keysOf(person, address)) {
        if (kind === "both") await forgetAttempts(sql, key);
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

function keysOf(person: string, address: string): [keyof typeof MOST, string][] {
  const hash = (text: string) => createHash("sha256").update(text).digest("base64url");
  const who = person.toLowerCase();
  return [
    ["both", hash(`both\0${who}\0${address}`)],
    ["address", hash(`address\0${address}`)],
    ["person", hash(`person\0${who}`)],
  ];
}
