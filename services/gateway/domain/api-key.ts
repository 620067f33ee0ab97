/** The form of an API key: `mgs_live_` or `mgs_test_`, 32 random base62 characters, 6 of their CRC32. */
import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ModeName } from "#runtime/mode.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const FORM = /^mgs_(?:live|test)_[0-9A-Za-z]{38}$/;
/** The largest multiple of 62 in a byte: bytes from here on would favour some characters. */
const EVEN_BYTES = 248;

/** Gives `count` unpredictable bytes; a dependency, so that tests can know them. */
export type RandomBytes = (count: number) => Uint8Array;

/** What every key of a mode begins with. */
export const keyPrefix = (mode: ModeName): string => `mgs_${mode}_`;

/** A new key. It is shown once; only its hash is stored. */
export function createApiKey(mode: ModeName, random: RandomBytes = randomBytes): string {
  let secret = "";
  while (secret.length < SECRET_CHARACTERS) {
    for (const byte of random(SECRET_CHARACTERS - secret.length)) {
      if (byte < EVEN_BYTES) secret += BASE62.charAt(byte % BASE62.length);
    }
  }
  const body = `${keyPrefix(mode)}${secret}`;
  return `${body}${checksum(body)}`;
}

/** Whether `text` is a key that was copied whole; says nothing of whether it was ever issued. */
export function isApiKey(text: string): boolean {
  if (!FORM.test(text)) return false;
  return text.slice(-CHECKSUM_CHARACTERS) === checksum(text.slice(0, -CHECKSUM_CHARACTERS));
}

/** SHA-256 of a key, in hex: what it is stored and looked up by. */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

/** CRC32 of all that stands before it, in base62, most significant character first. */
function checksum(body: string): string {
  let value = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = BASE62.charAt(value % BASE62.length) + text;
    value = Math.floor(value / BASE62.length);
  }
  return text;
}
