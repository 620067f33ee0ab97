/** Ids: how they are made and how they are recognized. */
import { derivedId, isGenerationId, isId, randomId } from "#runtime/id.ts";

afterEach(() => void vi.useRealTimers());

describe("a random id", () => {
  it("is a prefix and 26 characters of Crockford's base32, never twice the same", () => {
    const ids = Array.from({ length: 10_000 }, () => randomId("txn"));
    expect(ids.every((id) => /^txn_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("sorts after every id that was made in an earlier millisecond", () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const ids = [0, 1, 2 ** 40, 2 ** 40 + 1, Date.UTC(2026, 10, 21), Date.UTC(2999, 0, 1)].map(
      (at) => {
        vi.setSystemTime(at);
        return randomId("txn");
      },
    );
    expect(ids).toEqual(ids.toSorted());
  });
});

describe("the form of an id", () => {
  it("is that of every random and derived id of its prefix", () => {
    expect(isId("whd", randomId("whd"))).toBe(true);
    expect(isId("whd", derivedId("whd", ["a", "b"]))).toBe(true);
    expect(isGenerationId(randomId("vgen"))).toBe(true);
    expect(isGenerationId(randomId("igen"))).toBe(true);
  });

  it("is not that of another prefix, length, alphabet or of text around an id", () => {
    const id = randomId("vgen");
    const token = id.slice("vgen_".length);
    const others = [
      `whd_${token}`,
      token,
      `${id}0`,
      id.slice(0, -1),
      `${id}\n`,
      ` ${id}`,
      id.toUpperCase(),
      `vgen_${"u".repeat(26)}`,
      `vgen_8${token.slice(1)}`,
      `${id.slice(0, -1)}\0`,
      "",
    ];
    expect(others.filter((text) => isId("vgen", text))).toEqual([]);
    expect(isGenerationId(`whd_${token}`)).toBe(false);
  });
});
