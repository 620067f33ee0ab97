/** Public ids: a prefix, an underscore and 26 lowercase Crockford base32 characters (128 bits). */
import { createHash, randomBytes } from "node:crypto";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";

export type IdPrefix =
  | "vgen"
  | "igen"
  | "acct"
  | "key"
  | "evt"
  | "whd"
  | "txn"
  | "req"
  | "usr"
  | "inv";

/** Makes a fresh id; a dependency, so that tests can make ids predictable. */
export type NewId = (prefix: IdPrefix) => string;

/**
 * 48 bits of the time in milliseconds, then 80 random bits (a ULID): ids that are made one after another stand side
 * by side in an index, which keeps a long history cheap. No id is a secret.
 */
export const randomId: NewId = (prefix) => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  return `${prefix}_${encode(bytes)}`;
};

/**
 * The id that `parts` always lead to. Parts are length-prefixed, so no two different lists of parts
 * can be mistaken for one another (contract.md, Idempotency).
 */
export function derivedId(prefix: IdPrefix, parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return `${prefix}_${encode(hash.digest().subarray(0, 16))}`;
}

/** 26 base32 characters of an unguessable 128-bit number, for names that carry no prefix. */
export function randomToken(): string {
  return encode(randomBytes(16));
}

/** Five bits a character, the highest first; 128 bits leave two zeros in front. */
function encode(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 2;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += CROCKFORD.charAt((held >> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return text;
}
