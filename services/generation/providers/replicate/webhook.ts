/** Verifies Replicate's callbacks: Standard Webhooks signatures with the account's secret. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Callback } from "../provider.ts";

const MAX_SKEW_MS = 300_000;
const SECRET_PREFIX = /^whsec_/;

/** True if the secret signed the callback within the last five minutes. */
export function isReplicateCallback(
  { headers, body }: Callback,
  secret: string,
  nowMs: number,
): boolean {
  const id = headers["webhook-id"] ?? "";
  const timestamp = headers["webhook-timestamp"] ?? "";
  const skewMs = Math.abs(nowMs - Number(timestamp) * 1000);
  if (!/^\d+$/.test(timestamp) || skewMs > MAX_SKEW_MS) return false;
  const expected = createHmac("sha256", Buffer.from(secret.replace(SECRET_PREFIX, ""), "base64"))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest();
  return (headers["webhook-signature"] ?? "")
    .split(" ")
    .filter((one) => one.startsWith("v1,"))
    .map((one) => Buffer.from(one.slice("v1,".length), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}
