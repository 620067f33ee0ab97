/** The format of API keys. */
import { newApiKey, hashApiKey, isApiKey } from "../../../services/gateway/domain/api-key.ts";

// Made with another implementation of CRC32 (zlib's, from Python).
const KEYS = [
  "mgs_live_000000000000000000000000000000003x1oxB",
  "mgs_test_abcdefghijklmnopqrstuvwxyzABCDEF32hcs6",
  "mgs_live_Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz9Zz1jBJsU",
];

describe("an API key", () => {
  it.each(KEYS)("is valid, and invalid when any character is different: %s", (key) => {
    expect(isApiKey(key)).toBe(true);
    for (let at = 0; at < key.length; at++) {
      const other = key[at] === "a" ? "b" : "a";
      expect(isApiKey(`${key.slice(0, at)}${other}${key.slice(at + 1)}`)).toBe(false);
    }
  });

  it("is invalid when it is cut off, longer or of another mode", () => {
    const key = KEYS[0] ?? "";
    const faulty = ["", key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()];
    for (const text of [...faulty, key.replace("live", "test")]) expect(isApiKey(text)).toBe(false);
  });

  it("consists of its mode and 32 characters that nobody can predict, and is different every time", () => {
    const keys = Array.from({ length: 100 }, () => newApiKey("live"));
    expect(keys.filter((key) => !isApiKey(key) || !key.startsWith("mgs_live_"))).toEqual([]);
    expect(new Set(keys).size).toBe(100);
    // Each of the 62 characters is missing in 3,200 once in 10^22 times.
    const secrets = keys.map((key) => key.slice("mgs_live_".length, -6)).join("");
    expect(new Set(secrets).size).toBe(62);
  });

  it("is hashed with SHA-256", () => {
    expect(hashApiKey("abc")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
  });
});
