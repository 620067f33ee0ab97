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

export const randomId: NewId = (prefix) => `${prefix}_${encode(randomBytes(16))}`;

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

function encode(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
  let text = "";
  for (let i = 0; i < 26; i++) {
    text = CROCKFORD.charAt(Number(value & 31n)) + text;
    value >>= 5n;
  }
  return text;
}
