/** What the service signs: the cookie of a user's own browser, and the proof of an address. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import {
  knownBrowsers,
  signUpProof,
} from "../../../../services/gateway/dashboard/session/sessions.ts";
import { manualClock } from "../../../support/manual-clock.ts";

const SECRET = "a secret of the tests, long enough";
const OTHER_SECRET = "another secret of the tests";
const ADA = "ada@example.com";
const EVE = "eve@example.com";

describe("the cookie of a browser that has signed in", () => {
  /** The cookie that a browser gets by signing in as ADA. */
  const cookieBy = (secret: string) => {
    let line = "";
    const reply = { header: (_name: string, value: string) => (line = value) };
    knownBrowsers(secret, () => true).remember(reply as never as FastifyReply, ADA);
    return line.split(";")[0] ?? "";
  };
  const browserOf = (cookie: string, email = ADA) => {
    const request = { ip: "192.0.2.1", headers: { cookie } } as FastifyRequest;
    return knownBrowsers(SECRET, () => true).attempter(request, email).browser;
  };
  const pair = cookieBy(SECRET);

  it("makes it known as the browser of this user, and of no other", () => {
    expect(browserOf(`other=1; ${pair}`)).toBeTypeOf("string");
    expect(browserOf(pair, ADA.toUpperCase())).toBe(browserOf(pair));
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
  const clock = manualClock("2026-11-22T12:00:00.000Z");
  const proofs = signUpProof(SECRET, clock);
  const proof = proofs.issue(ADA);
  const [until = "", signature = ""] = proof.split("~");
  const later = until.replace("2026", "2027");
  const others = [signUpProof(OTHER_SECRET, clock).issue(ADA), `${later}~${signature}`];
  for (const token of [...others, until, `~${signature}`, `never~${signature}`, proof.slice(0, -1)])
    expect(proofs.isValid(token, ADA)).toBe(false);
  expect([proofs.isValid(proof, ADA), proofs.isValid(proof, EVE)]).toEqual([true, false]);
  clock.advance(60 * 60_000 - 1);
  expect(proofs.isValid(proof, ADA)).toBe(true);
  clock.advance(1);
  expect(proofs.isValid(proof, ADA)).toBe(false);
});
