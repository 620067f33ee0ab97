/** Encryption of what ids and addresses carry, under the secret that all replicas share. */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";

export type Sealer<T> = ReturnType<typeof createSealer<T>>;

const CIPHER = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Values are plain JSON. */
export function createSealer<T>(secret: string, use: "job ids" | "files") {
  const keyFor = (part: string): Buffer =>
    Buffer.from(hkdfSync("sha256", secret, "", `simulator ${use}: ${part}`, 32));
  const [contentKey, nonceKey] = [keyFor("content"), keyFor("nonce")];
  return {
    /** URL-safe; the same value always gives the same text. */
    seal: (value: T): string => {
      const text = JSON.stringify(value);
      // Made from the text, so that no nonce serves two texts.
      const nonce = createHmac("sha256", nonceKey).update(text).digest().subarray(0, NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, contentKey, nonce);
      const content = [cipher.update(text, "utf8"), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...content]).toString("base64url");
    },
    /** Undefined where no simulator with this secret has sealed it for this use, or it was changed. */
    unseal: (sealed: string): T | undefined => {
      const bytes = Buffer.from(sealed, "base64url");
      // Different base64url texts can decode to the same bytes.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed)
        return undefined;
      const decipher = createDecipheriv(CIPHER, contentKey, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const content = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        return JSON.parse(Buffer.concat([content, decipher.final()]).toString("utf8")) as T;
      } catch {
        return undefined;
      }
    },
  };
}
