/** Delays between attempts to sign in; the cookie of a user's own browser and the proof of an address, both signed. */
import type { FastifyReply, FastifyRequest } from "fastify";
import {
  knownBrowsers,
  signInAttempts,
  signUpProof,
  type Attempter,
} from "../../../../services/gateway/dashboard/session/sessions.ts";
import { addMs } from "#runtime/clock.ts";
import type { Problem } from "../../../../services/gateway/edge/http/problem.ts";
import { connectedDatabase } from "../../../support/database.ts";
import { manualClock } from "../../../support/manual-clock.ts";

const clock = manualClock("2026-11-22T12:00:00.000Z");
const database = await connectedDatabase("gateway", 1);
afterAll(() => database[Symbol.asyncDispose]());
const attempts = signInAttempts({ sql: database.sql, clock });

const LOGIN = "ada@example.com";
const stranger = (address = "192.0.2.1"): Attempter => ({ address, browser: undefined });
const OWN: Attempter = { address: "192.0.2.1", browser: "her-own" };

beforeEach(async () => void (await database.owner`delete from gateway.sign_in_attempts`));

/** Attempts once; returns the seconds that the next one has to wait, 0 when it was let through. */
async function waitAfter(attempt: Promise<void>): Promise<number> {
  const problem = await attempt.then(
    () => undefined,
    (error: Problem) => error,
  );
  return Number(problem?.options.headers?.["Retry-After"] ?? 0);
}

/** Attempts as soon as it may, `count` times; returns the delays in seconds. */
async function delays(attempt: () => Promise<void>, count: number): Promise<number[]> {
  const waited: number[] = [];
  while (waited.length < count) {
    const seconds = await waitAfter(attempt());
    if (seconds > 0) {
      clock.advance(seconds * 1_000);
      await attempt();
    }
    waited.push(seconds);
  }
  return waited;
}

it("mails to anybody wait after thirty of one client or account, so that nobody sends spam by them", async () => {
  for (let mail = 0; mail < 31; mail++)
    await attempts.countMail(`person-${mail}@example.com`, "192.0.2.1");
  expect(await waitAfter(attempts.countMail("one@example.com", "192.0.2.1"))).toBe(10);
  expect(await waitAfter(attempts.countMail("one@example.com", "192.0.2.2"))).toBe(0);
});

it("changes of how a user signs in wait longer each time after twenty", async () => {
  const waited = await delays(() => attempts.countChange("usr_1"), 23);
  expect(waited).toEqual([...Array<number>(21).fill(0), 10, 20]);
});

describe("attempts of a stranger on one login", () => {
  it("wait longer each time after ten, a quarter of an hour at most, and are forgotten in a day", async () => {
    const attempt = () => attempts.count(LOGIN, stranger());
    const waited = await delays(attempt, 22);
    const doubled = Array.from({ length: 9 }, (_, at) => 2 ** (at + 1));
    expect(waited).toEqual([...Array<number>(11).fill(0), ...doubled, 900, 900]);
    clock.advance(24 * 60 * 60_000);
    expect(await delays(attempt, 11)).toEqual(Array(11).fill(0));
  });

  it("do not wait for each other when they come at the same time", async () => {
    await attempts.count(LOGIN, stranger());
    await attempts.count(LOGIN, stranger());
    // What another process has counted in the meantime may have begun a little later.
    clock.advance(-5);
    expect(await waitAfter(attempts.count(LOGIN, stranger()))).toBe(0);
  });

  it("are not counted while they have to wait", async () => {
    const attempt = () => attempts.count(LOGIN, stranger());
    await delays(attempt, 11);
    for (let time = 0; time < 3; time++) expect(await waitAfter(attempt())).toBe(2);
    clock.advance(2_000);
    expect(await waitAfter(attempt())).toBe(0);
    expect(await waitAfter(attempt())).toBe(4);
  });

  it("do not delay a browser that has signed in as this user, even at the same address", async () => {
    await attempts.count(LOGIN, stranger());
    await database.owner`update gateway.sign_in_attempts set next_at = ${addMs(clock.now(), 60_000)}`;
    expect(await waitAfter(attempts.count(LOGIN, stranger()))).toBe(60);
    expect(await delays(() => attempts.count(LOGIN, OWN), 11)).toEqual(Array(11).fill(0));
    expect(await waitAfter(attempts.count(LOGIN, OWN))).toBe(2);
  });

  it("from many addresses together wait a minute at most, so that a new browser gets its turn", async () => {
    for (const [made, seconds] of [
      [99, 0],
      [100, 1],
      [110, 60],
    ] as const) {
      await database.owner`delete from gateway.sign_in_attempts`;
      await attempts.count(LOGIN, stranger("198.51.100.1"));
      await database.owner`update gateway.sign_in_attempts set attempts = ${made}`;
      await attempts.count(LOGIN, stranger("198.51.100.2"));
      expect(await waitAfter(attempts.count(LOGIN, stranger("203.0.113.1")))).toBe(seconds);
    }
  });
});

const SECRET = "a secret of the tests, long enough";
const OTHER_SECRET = "another secret of the tests";
const EVE = "eve@example.com";

describe("the cookie of a browser that has signed in", () => {
  /** The cookie that a browser gets by signing in as LOGIN. */
  const cookieBy = (secret: string) => {
    let line = "";
    const reply = { header: (_name: string, value: string) => (line = value) };
    knownBrowsers(secret, () => true).remember(reply as never as FastifyReply, LOGIN);
    return line.split(";")[0] ?? "";
  };
  const browserOf = (cookie: string, email = LOGIN) => {
    const request = { ip: "192.0.2.1", headers: { cookie } } as FastifyRequest;
    return knownBrowsers(SECRET, () => true).attempter(request, email).browser;
  };
  const pair = cookieBy(SECRET);

  it("makes it known as the browser of this user, and of no other", () => {
    expect(browserOf(`other=1; ${pair}`)).toBeTypeOf("string");
    expect(browserOf(pair, LOGIN.toUpperCase())).toBe(browserOf(pair));
    expect(browserOf(pair, EVE)).toBeUndefined();
  });

  it("cannot be made up: its name is signed, with the service's secret", () => {
    const [, signature = ""] = pair.split(".");
    const names = [`another.${signature}`, "another", ".", `.${signature}`];
    const madeUp = names.map((value) => `media.browser=${value}`);
    for (const cookie of [...madeUp, pair.slice(0, -1), cookieBy(OTHER_SECRET)])
      expect(browserOf(cookie)).toBeUndefined();
  });
});

it("the proof of an address works for this address, for an hour, and cannot be made up", () => {
  const proofs = signUpProof(SECRET, clock);
  const proof = proofs.issue(LOGIN);
  const [until = "", signature = ""] = proof.split("~");
  const later = until.replace("2026", "2027");
  const others = [signUpProof(OTHER_SECRET, clock).issue(LOGIN), `${later}~${signature}`];
  for (const token of [...others, until, `~${signature}`, `never~${signature}`, proof.slice(0, -1)])
    expect(proofs.isValid(token, LOGIN)).toBe(false);
  expect([proofs.isValid(proof, LOGIN), proofs.isValid(proof, EVE)]).toEqual([true, false]);
  clock.advance(60 * 60_000 - 1);
  expect(proofs.isValid(proof, LOGIN)).toBe(true);
  clock.advance(1);
  expect(proofs.isValid(proof, LOGIN)).toBe(false);
});
