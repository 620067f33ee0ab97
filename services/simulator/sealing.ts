/** Encryption of what job ids carry, under the secret that all replicas share. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";

export type Sealer = {
  /** URL-safe; the same text always gives the same one. */
  seal(text: string): string;
  /** Undefined where no simulator with this secret has sealed it, or it was changed. */
  unseal(sealed: string): string | undefined;
};

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSealer(secret: string): Sealer {
  const keyFor = (use: string): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, "", `simulator job ids: ${use}`, 32));
  const [contentKey, nonceKey] = [keyFor("content"), keyFor("nonce")];
  return {
    seal: (text) => {
      // Made from the text, so that no nonce serves two texts.
      const nonce = createHmac("sha256", nonceKey).update(text).digest().subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, contentKey, nonce);
      const content = [cipher.update(text, "utf8"), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...content]).toString("base64url");
    },
    unseal: (sealed) => {
      const bytes = Buffer.from(sealed, "base64url");
      // Different base64url texts can decode to the same bytes.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed) return;
      const decipher = createDecipheriv(CIPHER, contentKey, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const content = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([content, decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}
