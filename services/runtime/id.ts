/** Public ids: a prefix, an underscore and 26 lowercase Crockford base32 characters (128 bits). */
import { hash, randomBytes } from "node:crypto";

/** 128 bits in 26 characters leave the two highest bits of the first one zero. */
const TOKEN = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const ID_BYTES = 16;
const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const CODES = Buffer.from(CROCKFORD);

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
  | "inv"
  | "aud"
  | "ask"
  | "file"
  | "log";

/** Makes a fresh id; a dependency, so that tests can make ids predictable. */
export type NewId = (prefix: IdPrefix) => string;

/** A ULID: 48 bits of time, 80 random bits. Ids of about the same time are neighbours in an index. */
export const randomId: NewId = (prefix) => {
  const bytes = nextRandomBytes();
  bytes.writeUIntBE(Date.now(), 0, 6);
  return `${prefix}_${encode(bytes)}`;
};

/** Random bytes for the next ids: one call of the system for 256 of them. */
let pool = Buffer.alloc(0);

function nextRandomBytes(): Buffer {
  if (pool.length === 0) pool = randomBytes(256 * ID_BYTES);
  const bytes = pool.subarray(0, ID_BYTES);
  pool = pool.subarray(ID_BYTES);
  return bytes;
}

/** Parts are hashed with their lengths, so different lists never collide (docs/decisions/0001-derived-ids.md). */
export function derivedId(prefix: IdPrefix, parts: readonly string[]): string {
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join("");
  return `${prefix}_${encode(hash("sha256", text, "buffer").subarray(0, ID_BYTES))}`;
}

/** Checked before a query: Postgres refuses NUL characters, and other text is in no row. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return text.startsWith(`${prefix}_`) && isToken(text.slice(prefix.length + 1));
}

/** Whether `text` has the form of the id of a video or image generation. */
export function isGenerationId(text: string): boolean {
  return isId("vgen", text) || isId("igen", text);
}

/** The id of what has a number of its own among all of one millisecond; ids of later times are greater. */
export function numberedId(prefix: IdPrefix, atMs: number, number: bigint): string {
  const bytes = Buffer.alloc(ID_BYTES);
  bytes.writeUIntBE(atMs, 0, 6);
  bytes.writeBigUInt64BE(number, ID_BYTES - 8);
  return `${prefix}_${encode(bytes)}`;
}

/** What an id in the form of `numberedId` was made of. */
export function numbersOf(id: string): { atMs: number; number: bigint } {
  let bits = 0n;
  for (const character of id.slice(id.indexOf("_") + 1)) {
    bits = (bits << 5n) | BigInt(CROCKFORD.indexOf(character));
  }
  return { atMs: Number(bits >> 80n), number: bits & ((1n << 80n) - 1n) };
}

/** 26 base32 characters of an unguessable 128-bit number, for names without a prefix. */
export function randomToken(): string {
  return encode(randomBytes(ID_BYTES));
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Five bits a character, the highest first, after two zero bits that make 130 of 128. */
function encode(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(26);
  let at = 0;
  let held = 0;
  let bits = 2;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text[at++] = CODES[(held >> bits) & 31] ?? 0;
    }
    held &= (1 << bits) - 1;
  }
  return text.toString("latin1");
}
