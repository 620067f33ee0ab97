/** didYouMean: which known name is suggested for one that is not known. */
import { expect, it } from "vitest";
import { didYouMean } from "#runtime/did-you-mean.ts";

const KNOWN = ["prompt", "aspect_ratio", "negative_prompt", "seed"];
const LONG = "x".repeat(100_000);

it.each([
  ["aspectRatio", KNOWN, ' Did you mean "aspect_ratio"?'],
  ["Aspect", KNOWN, ' Did you mean "aspect_ratio"?'],
  ["quality", KNOWN, ""],
  ["ne", KNOWN, ""],
  // Comparing it would hold up the process.
  [LONG, [`${LONG}y`], ""],
])("suggests a name that is near or begins so: for %.20s", (name, known, suggestion) => {
  expect(didYouMean(name, known)).toBe(suggestion);
});
