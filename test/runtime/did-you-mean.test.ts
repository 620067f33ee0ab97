/** didYouMean: which known name is suggested for one that is not known. */
import { describe, expect, it } from "vitest";
import { didYouMean } from "#runtime/did-you-mean.ts";

const KNOWN = ["prompt", "aspect_ratio", "negative_prompt", "seed"];

describe("a suggestion", () => {
  it.each([
    ["promt", "prompt"],
    ["Prompt", "prompt"],
    ["aspectRatio", "aspect_ratio"],
    ["negative-promt", "negative_prompt"],
    ["Aspect", "aspect_ratio"],
  ])("for %s is %s", (name, meant) => {
    expect(didYouMean(name, KNOWN)).toBe(` Did you mean "${meant}"?`);
  });

  it.each(["colour", "", "ne", "quality", "x".repeat(101)])("is not made for %s", (name) => {
    expect(didYouMean(name, KNOWN)).toBe("");
  });

  it("is not looked for among names when the name is too long to be compared", () => {
    const long = "x".repeat(100_000);
    expect(didYouMean(long, [`${long}y`])).toBe("");
  });
});
