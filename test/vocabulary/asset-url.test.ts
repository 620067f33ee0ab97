/** Which URLs are those of stored files. */
import { assetKeyOf, isLikeAssetUrl } from "#vocabulary/public-values.ts";

const BASE = "https://media.example/assets";
const KEY = `${"0".repeat(26)}.png`;

it("reads the key of a URL that begins with the base", () => {
  expect(assetKeyOf(`${BASE}/${KEY}`, BASE)).toBe(KEY);
  expect(isLikeAssetUrl(`${BASE}/${KEY}`)).toBe(true);
});

it.each([
  `https://other.example/assets/${KEY}`,
  `${BASE}.example/${KEY}`,
  `${BASE}/../${KEY}`,
  `${BASE}/a/${KEY}`,
  `${BASE}/${KEY}?x=1`,
  `${BASE}/${KEY}#x`,
  `${BASE}/8${KEY.slice(1)}`,
  `${BASE}/x.png`,
])("takes %s for a stranger's", (url) => {
  expect(assetKeyOf(url, BASE)).toBeUndefined();
});
