/** Sessions: the user of a request, cookies, browsers that are known, proofs of addresses, and delays of guesses. */
import type { Mailer } from "../../accounts/mail/mailer.ts";
import {
  LINK_VALID_SECONDS,
  type Messages,
  type SignInChange,
} from "../../accounts/mail/messages.ts";
import type { Contract } from "../../edge/http/contract.ts";
import type { Deps } from "../../edge/operations/deps.ts";
import type { Auth } from "./auth.ts";
import type { components } from "#gen/openapi/dashboard.ts";
import type { Operation } from "../../edge/http/document-routes.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { randomToken } from "#runtime/id.ts";
import * as store from "../../store/store.ts";
import { Problem } from "../../edge/http/problem.ts";
import type { ErrorCode } from "../../edge/validation/checker.ts";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { MINUTE_MS, SECOND_MS, addMs, type Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { type Call, clientNetwork } from "../../edge/http/request-state.ts";

export type DashboardDeps = Deps & {
  dashboardContract: Contract;
  /** Loaded at first use: it is large and needs the public URL. */
  auth: () => Promise<Auth>;
  mailer: Mailer;
  messages: Messages;
  signInAttempts: ReturnType<typeof signInAttempts>;
  signUp: "open" | "invitation";
  signUpProof: ReturnType<typeof signUpProof>;
  knownBrowsers: ReturnType<typeof knownBrowsers>;
  /** An instance that knows the identity provider, apart because its first use waits for the provider. */
  providerAuth: () => Promise<Auth>;
  /** The label of the identity provider's button; undefined when none is configured. */
  oidcName: string | undefined;
};

export type DashboardCall = Call<DashboardDeps>;

export type DashboardOperation = Operation<DashboardDeps>;

export type Schemas = components["schemas"];

/** As the sign-in library has it. */
export type SignedInUser = {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  twoFactorEnabled?: boolean | null | undefined;
  disabledAt?: Date | null | undefined;
};

declare module "fastify" {
  interface FastifyRequest {
    user: SignedInUser | undefined;
    session: { id: string; createdAt: Date } | undefined;
    membership: store.MembershipRow | undefined;
  }
}

/** The signed-in user. Throws on routes that need no session. */
export function userOf(request: FastifyRequest): SignedInUser {
  if (!request.user) throw new Error("this route is open, so it has no user");
  return request.user;
}

/** The user's membership in the account of the path. Throws on routes without an account. */
export function membershipOf(request: FastifyRequest): store.MembershipRow {
  if (!request.membership) throw new Error("this route has no account in its path");
  return request.membership;
}

/** The id in the path. Throws `code` for one with characters that no id has. */
export function namedInPath(request: FastifyRequest, name: string, code: ErrorCode): string {
  const id = (request.params as Record<string, string | undefined>)[name] ?? "";
  if (!/^[\w-]+$/.test(id)) throw new Problem(code);
  return id;
}

/**
 * Reads the session of the request, which is empty for a visitor. A disabled user is not signed in. Its headers clear the
 * cookie of one that has ended.
 */
export async function readSession(call: DashboardCall) {
  const { request } = call;
  if (request.headers.cookie === undefined) return {};
  const { api, withHeaders } = await libraryOf(call);
  const { response, headers } = await api.getSession(withHeaders);
  if (!response || response.user.disabledAt) return { headers };
  request.session = response.session;
  return { user: response.user, expiresAt: response.session.expiresAt, headers };
}

/** Why the session of the request's cookie was ended, where that is recorded. */
export async function sessionEndOf({ deps, request }: DashboardCall) {
  const { authCookies } = await (await deps.auth()).$context;
  const token = cookieToken(request, authCookies.sessionToken.name);
  return token ? store.findSessionEnd(deps.sql, token) : undefined;
}

/** What stands before the signature in the library's cookie of this name. */
export function cookieToken(request: FastifyRequest, name: string): string | undefined {
  return cookieValue(request, name)?.split(".")[0];
}

function cookieValue({ headers }: FastifyRequest, name: string): string | undefined {
  const named = headers.cookie?.split(/; */).find((pair) => pair.startsWith(`${name}=`));
  return named?.slice(name.length + 1);
}

/** The sign-in library, with options to act for the request's user, and to answer with its headers too. */
export async function libraryOf({ deps, request }: DashboardCall) {
  const { api, $context } = await deps.auth();
  const asUser = { headers: cookieOf(request) };
  return { api, $context, asUser, withHeaders: { ...asUser, returnHeaders: true as const } };
}

/** Tells the signed-in user by mail what has changed in how they sign in. */
export function mailChange({ deps, request }: DashboardCall, change: SignInChange): void {
  deps.mailer.send(userOf(request).email, deps.messages.signInChanged(change));
}

export function cookieOf({ headers }: FastifyRequest): Headers {
  const { cookie = "", "user-agent": agent = "" } = headers;
  return new Headers({ cookie, "user-agent": agent.slice(0, 300) });
}

/** Whether the library refused the call, rather than failed. */
export function isRefusal(error: unknown): error is Error & { body?: { code?: string } } {
  return error instanceof Error && error.name === "APIError";
}

/** Throws the problem for what the library refused, and any other error as it is. */
export function refusedAs(code: ErrorCode, message?: string): (error: unknown) => never {
  return (error) => {
    throw isRefusal(error) ? new Problem(code, message === undefined ? {} : { message }) : error;
  };
}

export function setCookies(reply: FastifyReply, headers: Headers | null | undefined): void {
  const cookies = headers?.getSetCookie() ?? [];
  if (cookies.length > 0) void reply.header("set-cookie", cookies);
}

/** Ends the session of the request, if any, and returns the headers that clear its cookie. */
export async function endRequestSession(call: DashboardCall) {
  if (call.request.headers.cookie === undefined) return undefined;
  const { api, withHeaders } = await libraryOf(call);
  return (await api.signOut(withHeaders)).headers;
}

/**
 * `known`: a browser that has signed in as this user before. `pair`: anybody else at one address, of IPv6 its /64, with
 * one login. `address`: all of them there, who may be an office. `login`: all of them with one login, who may be a
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

/** What is counted, and of whom. */
type Key = [kind: keyof typeof LIMITS, ...of: string[]];

/** Who tries: the client's address, and the browser's name if it has signed in as the same user before. */
export type Attempter = { address: string; browser: string | undefined };

/** Counts attempts; each `count…` throws 429 while a delay lasts. */
export function signInAttempts({ sql, clock }: { sql: Sql; clock: Clock }) {
  // All keys or none: what is refused counts nowhere. Attempts lock the widest key last, so they never wait in a circle.
  const countAll = (...keys: Key[]) =>
    sql.begin(async (transaction) => {
      const at = clock.now();
      const forgottenAt = addMs(at, -store.ATTEMPTS_KEPT_MS);
      for (const key of keys) {
        const limit = { key: hash(...key), ...LIMITS[key[0]] };
        const nextAt = await store.takeAttempt(transaction, limit, at, forgottenAt);
        if (nextAt) throw tooMany(nextAt.getTime() - at.getTime());
      }
    });
  const count = (login: string, by: Attempter) => countAll(...keysOf(login, by));
  return {
    /** An attempt on `login`: an e-mail or a user id. */
    count,
    /** The same, which counts no more once `proof` has resolved, but in the sums over all callers. */
    async attempt<T>(login: string, by: Attempter, proof: () => Promise<T>): Promise<T> {
      await count(login, by);
      const answer = await proof();
      for (const key of keysOf(login, by)) {
        if (key[0] === "pair" || key[0] === "known") await store.deleteAttempts(sql, hash(...key));
      }
      return answer;
    },
    /** A mail to `email` that `sender`, a client's address or an account's id, asked for. */
    countMail: (email: string, sender: string) =>
      countAll(["mail", email.toLowerCase()], ["sender", clientNetwork(sender)]),
    /** The use of a right code of the user's authenticator app, which may not be used again. */
    countCode: (userId: string, code: string) => countAll(["code", userId, code]),
    /** A change of how the user signs in. */
    countChange: (userId: string) => countAll(["change", userId]),
    /** An attempt that names no login. */
    countAddress: (address: string) => countAll(["address", clientNetwork(address)]),
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
  const network = clientNetwork(address);
  if (browser !== undefined) return [["known", name, browser]];
  return [
    ["pair", name, network],
    ["login", name],
    ["address", network],
  ];
}

function hash(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\0")).digest("base64url");
}

/** Signatures that only who knows `secret` can make, for one purpose. */
function signer(secret: string, purpose: string) {
  const key = createHmac("sha256", secret).update(purpose).digest();
  const sign = (...parts: string[]) =>
    createHmac("sha256", key).update(parts.join("\0")).digest("base64url");
  const isSigned = (signature: string, ...parts: string[]) => {
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(...parts))];
    return given.length === right.length && timingSafeEqual(given, right);
  };
  return { sign, isSigned };
}

const COOKIE = "media.browser";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export function knownBrowsers(secret: string, isSecure: () => boolean) {
  const { sign, isSigned } = signer(secret, "known browser");
  return {
    /** Who tries to sign in with `email`. */
    attempter(request: FastifyRequest, email: string): Attempter {
      const [name = "", signature = ""] = cookieValue(request, COOKIE)?.split(".") ?? [];
      const isKnown = name !== "" && isSigned(signature, name, email.toLowerCase());
      return { address: request.ip, browser: isKnown ? name : undefined };
    },
    /** Sets the cookie after a sign-in as `email`. */
    remember(reply: FastifyReply, email: string) {
      const name = randomToken();
      const value = `${name}.${sign(name, email.toLowerCase())}`;
      const secure = isSecure() ? "; Secure" : "";
      const attributes = `Path=/dashboard; Max-Age=${YEAR_SECONDS}; HttpOnly; SameSite=Lax${secure}`;
      void reply.header("set-cookie", `${COOKIE}=${value}; ${attributes}`);
    },
  };
}

export function signUpProof(secret: string, clock: Clock) {
  const { sign, isSigned } = signer(secret, "sign-up proof");
  return {
    /** A token that proves the address, in lower case, for an hour. */
    issue(email: string): string {
      const until = addMs(clock.now(), LINK_VALID_SECONDS * 1_000).toISOString();
      return `${until}~${sign(until, email)}`;
    },
    isValid(token: string, email: string): boolean {
      const [until = "", signature = ""] = token.split("~");
      return clock.now() < new Date(until) && isSigned(signature, until, email);
    },
  };
}

const FRESH_MS = 10 * MINUTE_MS;

/** An attempt of the signed-in user to prove who they are, which counts no more once `proof` has resolved. */
export function attemptAsUser<T>({ deps, request }: DashboardCall, proof: () => Promise<T>) {
  const by = { address: request.ip, browser: request.session?.id };
  return deps.signInAttempts.attempt(userOf(request).id, by, proof);
}

/**
 * Checks the password in the body; of a user who has none, that the session is fresh. Throws `wrong_credentials` or
 * `fresh_sign_in_required`, and 429 after too many attempts or too many changes. Answers as `libraryOf`.
 */
export async function reauthenticate(call: DashboardCall) {
  const { request } = call;
  const library = await libraryOf(call);
  const { signInAttempts, sql, clock } = call.deps;
  const { id } = userOf(request);
  if (!(await store.loginsOf(sql, id)).includes("password")) {
    const freshFrom = addMs(clock.now(), -FRESH_MS);
    const { createdAt = freshFrom } = request.session ?? {};
    if (createdAt <= freshFrom) throw new Problem("fresh_sign_in_required");
    await signInAttempts.countChange(id);
    return library;
  }
  const body = request.body as Schemas["PasswordRequest"] & Partial<Schemas["ChangeEmailRequest"]>;
  const password = body.password ?? body.current_password ?? "";
  await attemptAsUser(call, () =>
    library.api.verifyPassword({ body: { password }, ...library.asUser }).catch(wrongPassword),
  );
  await signInAttempts.countChange(id);
  return library;
}

export const wrongPassword = refusedAs("wrong_credentials", "The current password is wrong.");
