/** Derives signing secrets from master keys: HKDF of the key, the account, the mode and the secret's number. */
import { createDecipheriv, createHash, hkdfSync } from "node:crypto";
import { secretText } from "../domain/signature.ts";
import type { SecretOwner, StoredSecret } from "../store/webhook-secrets.ts";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 16;

export type MasterKeys = {
  /** The key of new secrets. */
  readonly keyId: string;
  /** Whether a key with this id is configured. */
  holds: (keyId: string) => boolean;
  /** The secret of a row; undefined if its key is not configured, or if it is sealed and was altered. */
  secretOf: (owner: SecretOwner, row: StoredSecret) => string | undefined;
};

/**
 * Parses keys: base64 or base64url of 32 bytes each, separated by commas or white space. Throws a RangeError if one is
 * malformed or there is none.
 */
export function parseSecretKeys(text: string): [first: Buffer, ...others: Buffer[]] {
  const [first, ...others] = text.split(/[\s,]+/).flatMap((word) => {
    if (word === "") return [];
    const key = Buffer.from(word, "base64");
    if (key.length === KEY_BYTES && /^[\w+/-]{43}=?$/.test(word)) return [key];
    throw new RangeError("each key must be the base64 of 32 random bytes");
  });
  if (first === undefined) throw new RangeError("at least one key is required");
  return [first, ...others];
}

/** The first key makes new secrets. A key's id is the beginning of its SHA-256. */
export function masterKeys([first, ...others]: readonly [Buffer, ...Buffer[]]): MasterKeys {
  const keys = new Map([first, ...others].map((key) => [idOf(key), key]));
  return {
    keyId: idOf(first),
    holds: (id) => keys.has(id),
    secretOf({ accountId, mode }, { keyId, number, sealed }) {
      const key = keys.get(keyId);
      if (!key) return undefined;
      const info = JSON.stringify([accountId, mode, number]);
      if (sealed) return unsealed(key, info, sealed);
      return secretText(Buffer.from(hkdfSync("sha256", key, "", `webhook secret ${info}`, 32)));
    },
  };
}

/** A random secret of release 1.0.0: nonce, tag and ciphertext of AES-256-GCM. It signs until it is rotated. */
function unsealed(key: Buffer, context: string, sealed: Buffer): string | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const text = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function idOf(key: Buffer): string {
  return createHash("sha256").update(key).digest("hex").slice(0, KEY_ID_CHARACTERS);
}
