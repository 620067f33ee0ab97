/** The tokens of callback addresses: each names one submit, and nobody else can make one. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Which submit an upstream calls back about. */
export type CalledBack = { accountId: string; generationId: string; submitToken: string };

/** 128 bits of the signature: a forger has to guess them at our door. */
const SIGNATURE_BYTES = 16;
const SEPARATOR = "/";

/** URL-safe; stays valid for as long as the secret does. */
export function callbackToken(secret: string, called: CalledBack): string {
  const { accountId, generationId, submitToken } = called;
  const text = [accountId, generationId, submitToken].join(SEPARATOR);
  const named = Buffer.from(text).toString("base64url");
  return `${named}.${signature(secret, named).toString("base64url")}`;
}

/** Undefined where we did not make the token. */
export function readCallbackToken(secret: string, token: string): CalledBack | undefined {
  const [named = "", signed = "", ...rest] = token.split(".");
  const given = Buffer.from(signed, "base64url");
  const expected = signature(secret, named);
  if (rest.length > 0 || given.length !== expected.length) return undefined;
  if (!timingSafeEqual(given, expected)) return undefined;
  const [accountId, generationId, submitToken] = Buffer.from(named, "base64url")
    .toString()
    .split(SEPARATOR);
  if (!accountId || !generationId || !submitToken) return undefined;
  return { accountId, generationId, submitToken };
}

function signature(secret: string, named: string): Buffer {
  const mac = createHmac("sha256", secret).update(`callback ${named}`).digest();
  return mac.subarray(0, SIGNATURE_BYTES);
}
