/** The cookie by which a user's own browser is told from others. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { knownBrowsers } from "../../../../services/gateway/dashboard/session/sessions.ts";

const SECRET = "a secret of the tests, long enough";
const ADA = "ada@example.com";

const known = knownBrowsers(SECRET, () => true);

/** The cookie that a browser gets by signing in as ADA, with its attributes. */
function cookieOf(browsers = known): { pair: string; attributes: string[] } {
  let line = "";
  browsers.remember(
    { header: (_name: string, value: string) => (line = value) } as never as FastifyReply,
    ADA,
  );
  const [pair = "", ...attributes] = line.split("; ");
  return { pair, attributes };
}

const browserOf = (cookie: string, email: string, browsers = known) =>
  browsers.attempter({ ip: "192.0.2.1", headers: { cookie } } as FastifyRequest, email).browser;

describe("the cookie of a browser that has signed in", () => {
  it("makes it known as the browser of this user, and of no other", () => {
    const { pair } = cookieOf();
    expect(browserOf(`other=1; ${pair}`, ADA)).toBeTypeOf("string");
    expect(browserOf(pair, "ADA@example.com")).toBe(browserOf(pair, ADA));
    expect(browserOf(pair, "eve@example.com")).toBeUndefined();
  });

  it("cannot be made up: its name is signed, with the service's secret", () => {
    const { pair } = cookieOf();
    const [, signature = ""] = pair.split(".");
    expect(browserOf(`media.browser=another.${signature}`, ADA)).toBeUndefined();
    expect(browserOf(pair.slice(0, -1), ADA)).toBeUndefined();
    expect(browserOf("media.browser=another", ADA)).toBeUndefined();
    expect(browserOf("media.browser=.", ADA)).toBeUndefined();
    const elsewhere = knownBrowsers("another secret of the tests", () => true);
    expect(browserOf(cookieOf(elsewhere).pair, ADA)).toBeUndefined();
  });
});
