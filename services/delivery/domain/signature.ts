/** Signs webhooks by Standard Webhooks, symmetric version 1. */
import { createHmac } from "node:crypto";

const SECRET_PREFIX = "whsec_";

/** How accounts see a secret: "whsec_" and its base64. */
export function secretText(bytes: Buffer): string {
  return SECRET_PREFIX + bytes.toString("base64");
}

/**
 * The three headers that a receiver verifies. Signed are the event id, the time of the attempt in Unix seconds, and the
 * exact bytes of the body; there is a signature for each secret.
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: Uint8Array },
) {
  const hmac = (secret: string) =>
    createHmac("sha256", Buffer.from(secret.slice(SECRET_PREFIX.length), "base64"))
      .update(`${id}.${timestampSeconds}.`)
      .update(body)
      .digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": `${timestampSeconds}`,
    "webhook-signature": secrets.map((secret) => `v1,${hmac(secret)}`).join(" "),
  };
}
