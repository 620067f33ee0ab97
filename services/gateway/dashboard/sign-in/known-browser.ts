/**
 * The cookie that a browser gets by signing in. It gives no access: it only tells a user's own browsers from strangers
 * when attempts are counted.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { randomToken } from "#runtime/id.ts";
import type { Attempter } from "../session/sign-in-attempts.ts";

const COOKIE = "media.browser";
const YEAR_SECONDS = 365 * 24 * 60 * 60;

export type KnownBrowsers = {
  /** Who tries to sign in with `email`. */
  attempter: (request: FastifyRequest, email: string) => Attempter;
  /** Sets the cookie after a sign-in as `email`. */
  remember: (reply: FastifyReply, email: string) => void;
};

/** Signs with a key that is derived from `secret` for this purpose only. */
export function knownBrowsers(secret: string, isSecure: () => boolean): KnownBrowsers {
  const key = createHmac("sha256", secret).update("known browser").digest();
  const signature = (name: string, email: string) =>
    createHmac("sha256", key).update(`${name}\0${email.toLowerCase()}`).digest("base64url");
  return {
    attempter({ ip: address, headers: { cookie = "" } }, email) {
      const value = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]*)`).exec(cookie)?.[1] ?? "";
      const [name = "", signed = ""] = value.split(".");
      const isKnown = name !== "" && isEqual(signed, signature(name, email));
      return { address, browser: isKnown ? name : undefined };
    },
    remember(reply, email) {
      const name = randomToken();
      const attributes = [
        `${COOKIE}=${name}.${signature(name, email)}`,
        "Path=/dashboard",
        `Max-Age=${YEAR_SECONDS}`,
        "HttpOnly",
        "SameSite=Lax",
        ...(isSecure() ? ["Secure"] : []),
      ];
      void reply.header("set-cookie", attributes.join("; "));
    },
  };
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
