/**
 * Slows password guessing by delays that grow, shared by all replicas. Nobody can lock another person out for good: a
 * browser that has signed in as this user before is counted on its own, whatever strangers do.
 */
import { createHash } from "node:crypto";
import { addMs, type Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { Problem } from "../../edge/http/problem.ts";
import { ATTEMPTS_KEPT_MS, deleteAttempts, takeAttempt } from "../../store/sign-in-attempts.ts";
import { clientNetwork } from "../../edge/http/client-network.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/**
 * `known`: a browser that has signed in as this user before. `pair`: anybody else at one address, of IPv6 its /64, with
 * one login. `address`: all strangers there, who may be an office. `login`: all strangers with one login, who may be a
 * botnet; their delay stays short, because the user may be among them with a new browser. `mail`: mails to an address.
 * `sender`: mails that one client, or one account by invitations, has sent to anybody. `code`: a code of a user's app,
 * which is right for 90 s and must not be used twice. `change`: changes of how a user signs in, each of which is mailed.
 */
const LIMITS = {
  known: { free: 10, firstDelayMs: 2 * SECOND_MS, maxDelayMs: 15 * MINUTE_MS },
  pair: { free: 10, firstDelayMs: 2 * SECOND_MS, maxDelayMs: 15 * MINUTE_MS },
  address: { free: 200, firstDelayMs: SECOND_MS, maxDelayMs: MINUTE_MS },
  login: { free: 100, firstDelayMs: SECOND_MS, maxDelayMs: MINUTE_MS },
  code: { free: 0, firstDelayMs: 2 * MINUTE_MS, maxDelayMs: 2 * MINUTE_MS },
  change: { free: 20, firstDelayMs: 10 * SECOND_MS, maxDelayMs: 10 * MINUTE_MS },
  sender: { free: 30, firstDelayMs: 10 * SECOND_MS, maxDelayMs: 10 * MINUTE_MS },
  mail: { free: 5, firstDelayMs: MINUTE_MS, maxDelayMs: 60 * MINUTE_MS },
} as const;

type Key = [kind: keyof typeof LIMITS, key: string];

/** Who tries: the client's address, and the browser's name if it has signed in as the same user before. */
export type Attempter = { address: string; browser: string | undefined };

export type SignInAttempts = {
  /** Counts an attempt on `login` (an e-mail or a user id); throws 429 while its delay lasts. */
  count: (login: string, by: Attempter) => Promise<void>;
  /** Counts a mail to `email` that `sender`, a client's address or an account's id, asked for; throws 429 as above. */
  countMail: (email: string, sender: string) => Promise<void>;
  /** Counts an attempt from `address` that names no login; throws 429 as above. */
  countAddress: (address: string) => Promise<void>;
  /** Counts the use of a right code of the user's authenticator app; throws 429 when it was used before. */
  countCode: (userId: string, code: string) => Promise<void>;
  /** Counts a change of how the user signs in; throws 429 as above. */
  countChange: (userId: string) => Promise<void>;
  /** Forgets the attempts after a correct password, but those of all strangers together. */
  clear: (login: string, by: Attempter) => Promise<void>;
};

export function signInAttempts({ sql, clock }: { sql: Sql; clock: Clock }): SignInAttempts {
  // All keys or none: what is refused counts nowhere. Attempts lock the widest key last, so they never wait in a circle.
  const countAll = (keys: readonly Key[]) =>
    sql.begin(async (transaction) => {
      const at = clock.now();
      const forgottenAt = addMs(at, -ATTEMPTS_KEPT_MS);
      for (const [kind, key] of keys) {
        const limit = { key, ...LIMITS[kind] };
        const nextAt = await takeAttempt(transaction, limit, at, forgottenAt);
        if (nextAt) throw tooMany(nextAt.getTime() - at.getTime());
      }
    });
  return {
    count: (login, by) => countAll(keysOf(login, by)),
    countMail: (email, sender) =>
      countAll([
        ["mail", hash("mail", email.toLowerCase())],
        ["sender", hash("sender", clientNetwork(sender))],
      ]),
    countCode: (userId, code) => countAll([["code", hash("code", userId, code)]]),
    countChange: (userId) => countAll([["change", hash("change", userId)]]),
    countAddress: (address) => countAll([addressKey(address)]),
    async clear(login, by) {
      for (const [kind, key] of keysOf(login, by)) {
        if (kind === "pair" || kind === "known") await deleteAttempts(sql, key);
      }
    },
  };
}

function tooMany(waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const wait = seconds < 60 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new Problem("too_many_attempts", {
    message: `Too many attempts. Try again in ${wait}.`,
    headers: { "Retry-After": String(seconds) },
  });
}

function keysOf(login: string, { address, browser }: Attempter): Key[] {
  const name = login.toLowerCase();
  if (browser !== undefined) return [["known", hash("known", name, browser)]];
  return [
    ["pair", hash("pair", name, clientNetwork(address))],
    ["login", hash("login", name)],
    addressKey(address),
  ];
}

function addressKey(address: string): Key {
  return ["address", hash("address", clientNetwork(address))];
}

function hash(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("base64url");
}
