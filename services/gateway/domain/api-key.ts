/** The format of API keys: `mgs_live_` or `mgs_test_`, 32 random base62 characters, a 6-character CRC32. */
import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ModeName } from "#vocabulary/names.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const KEY_PATTERN = /^mgs_(?:live|test)_[0-9A-Za-z]{38}$/;

export const keyPrefix = (mode: ModeName): string => `mgs_${mode}_`;

/** A new key. It is shown once, and only its hash is stored. */
export function newApiKey(mode: ModeName): string {
  const random = () => BASE62.charAt(randomInt(BASE62.length));
  const body = keyPrefix(mode) + Array.from({ length: SECRET_CHARACTERS }, random).join("");
  return `${body}${checksum(body)}`;
}

/** Whether `text` has the format and checksum of a key; not whether the key was ever issued. */
export function isApiKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return false;
  return text.slice(-CHECKSUM_CHARACTERS) === checksum(text.slice(0, -CHECKSUM_CHARACTERS));
}

/** The text without what looks like keys, or their beginnings. */
export function withoutKeys(text: string): string {
  return text.replaceAll(/mgs_(live|test)_[0-9A-Za-z]+/gi, "mgs_$1_…");
}

/** SHA-256 of a key in hex: the form in which it is stored and looked up. */
export function hashApiKey(key: string): string {
  return hash("sha256", key);
}

/** The CRC32 of `body` in base62, most significant character first. */
function checksum(body: string): string {
  let value = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_CHARACTERS; i++) {
    text = BASE62.charAt(value % BASE62.length) + text;
    value = Math.floor(value / BASE62.length);
  }
  return text;
}
