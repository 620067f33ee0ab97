/** didYouMean: which known name is suggested for one that is not known. */
import { describe, expect, it } from "vitest";
import { didYouMean } from "#runtime/did-you-mean.ts";

const KNOWN = ["prompt", "aspect_ratio", "negative_prompt", "seed"];

describe("a suggestion", () => {
  it("is for a name that differs by its case, its separators or its end", () => {
    for (const name of ["aspectRatio", "Aspect-Ratio", "Aspect"])
      expect(didYouMean(name, KNOWN)).toBe(' Did you mean "aspect_ratio"?');
  });

  it.each(["colour", "", "ne", "quality", "x".repeat(101)])("is not made for %s", (name) => {
    expect(didYouMean(name, KNOWN)).toBe("");
  });

  it("is not looked for among names when the name is too long to be compared", () => {
    const long = "x".repeat(100_000);
    expect(didYouMean(long, [`${long}y`])).toBe("");
  });
});
