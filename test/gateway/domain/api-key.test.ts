/** The format of API keys. */
import { describe, expect, it } from "vitest";
import { newApiKey, hashApiKey, isApiKey } from "../../../services/gateway/domain/api-key.ts";

// Made with another implementation of CRC32 (zlib's, from Python).
const KEYS = [
  "mgs_live_000000000000000000000000000000003x1oxB",
  "mgs_test_abcdefghijklmnopqrstuvwxyzABCDEF32hcs6",
  "mgs_live_Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz1jBJsU",
];

describe("an API key", () => {
  it.each(KEYS)("is valid when it is complete: %s", (key) => {
    expect(isApiKey(key)).toBe(true);
  });

  it("is invalid when any of its characters is different", () => {
    for (const key of KEYS) {
      for (let at = 0; at < key.length; at++) {
        const other = key[at] === "a" ? "b" : "a";
        expect(isApiKey(`${key.slice(0, at)}${other}${key.slice(at + 1)}`)).toBe(false);
      }
    }
  });

  it("is invalid when it is cut off, longer or of another mode", () => {
    const key = KEYS[0] ?? "";
    const faulty = ["", key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()];
    for (const text of [...faulty, key.replace("live", "test")]) {
      expect(isApiKey(text)).toBe(false);
    }
  });

  it("consists of its mode and 32 characters that are all equally likely", () => {
    const key = newApiKey("test", (count) => new Uint8Array(count).fill(61));
    expect(key).toMatch(/^mgs_test_z{32}/);
    expect(isApiKey(key)).toBe(true);
    // Bytes from 248 on would make the first characters likelier, so they are discarded.
    const bytes = [255, 248, 247, 62, 0];
    const drawn = newApiKey("live", (count) =>
      Uint8Array.from({ length: count }, () => bytes.shift() ?? 1),
    );
    expect(drawn).toMatch(/^mgs_live_z001{29}/);
  });

  it("is different every time", () => {
    const keys = Array.from({ length: 100 }, () => newApiKey("live"));
    expect(new Set(keys).size).toBe(100);
    expect(keys.every(isApiKey)).toBe(true);
  });

  it("is hashed with SHA-256", () => {
    expect(hashApiKey("abc")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
