/** Signs webhooks by Standard Webhooks, symmetric version 1. */
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

const SECRET_PREFIX = "whsec_";

/** How accounts see a secret: "whsec_" and its base64. */
export function secretText(bytes: Buffer): string {
  return SECRET_PREFIX + bytes.toString("base64");
}

/** The HMAC key of a secret. Reuse it for many webhooks: making it takes four times as long as signing. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"));
}

/**
 * The three headers that a receiver verifies. Signed are the event id, the time of the attempt in Unix seconds, and the
 * exact bytes of the body; there is a signature for each key.
 */
export function signedHeaders(
  keys: readonly KeyObject[],
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: Uint8Array },
) {
  const hmac = (key: KeyObject) =>
    createHmac("sha256", key).update(`${id}.${timestampSeconds}.`).update(body).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": `${timestampSeconds}`,
    "webhook-signature": keys.map((key) => `v1,${hmac(key)}`).join(" "),
  };
}
