/** Signs webhooks by Standard Webhooks, symmetric version 1. */
import { createHmac, randomBytes } from "node:crypto";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** What is signed: the event's id, the attempt's time in unix seconds, and the exact bytes of the body. */
export type Signable = { id: string; timestampSeconds: number; body: Uint8Array };

/** A fresh secret: "whsec_" and the base64 of 32 random bytes. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");
}

/** The value of `webhook-signature`: one signature for each secret, separated by spaces. */
export function signature(secrets: readonly string[], signable: Signable): string {
  return secrets.map((secret) => `v1,${hmac(secret, signable)}`).join(" ");
}

/** The three headers that a receiver verifies. */
export function signedHeaders(
  secrets: readonly string[],
  signable: Signable,
): Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string> {
  return {
    "webhook-id": signable.id,
    "webhook-timestamp": `${signable.timestampSeconds}`,
    "webhook-signature": signature(secrets, signable),
  };
}

function hmac(secret: string, { id, timestampSeconds, body }: Signable): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
  return createHmac("sha256", key)
    .update(`${id}.${timestampSeconds}.`)
    .update(body)
    .digest("base64");
}
