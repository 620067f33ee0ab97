/** didYouMean: which known name is suggested for one that is not known. */
import { didYouMean } from "#runtime/did-you-mean.ts";

const KNOWN = ["prompt", "aspect_ratio", "negative_prompt", "seed"];
const LONG = "x".repeat(100_000);

it.each(["aspectRatio", "Aspect-Ratio", "Aspect"])("suggests what is near %s", (name) => {
  expect(didYouMean(name, KNOWN)).toBe(' Did you mean "aspect_ratio"?');
});

it.each(["quality", "ne", "99"])("suggests nothing for %s", (name) => {
  expect(didYouMean(name, [...KNOWN, "1"])).toBe("");
});

it("does not compare a name that is too long, which would hold up the process", () => {
  expect(didYouMean(LONG, [`${LONG}y`])).toBe("");
});
