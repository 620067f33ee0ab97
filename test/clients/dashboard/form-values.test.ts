/** The playground's form: what a model does not accept is neither sent nor charged, and stays for one that does. */
import type { Account, Model } from "../../../clients/dashboard/src/api/client.ts";
import {
  asksFirst,
  EXAMPLES,
  fitToModel,
  priceExplanation,
  requestOf,
  tokenPrice,
  valuesOf,
} from "../../../clients/dashboard/src/pages/playground/form-values.ts";

const VIDEO = {
  id: "a-video",
  kind: "video",
  fields: ["prompt", "duration", "aspect_ratio", "seed", "resolution", "end_user"],
  inputs: ["text"],
  durations: { min: 5, max: 10, step: 5, default: 5 },
  aspect_ratios: ["16:9", "1:1"],
  default_aspect_ratio: "16:9",
  sizes: [],
  max_reference_images: 1,
  parameters: { seed: {}, resolution: { values: ["720p"] } },
  pricing: { unit: "second", unit_quantity: 1, tokens: 42 },
} as unknown as Model;
const FROM_IMAGE = {
  ...VIDEO,
  fields: ["prompt", "duration", "aspect_ratio", "image_url"],
  parameters: {},
} as unknown as Model;
const IMAGE = {
  id: "an-image",
  kind: "image",
  fields: ["prompt", "image_urls", "size", "n", "prompt_extend", "end_user"],
  inputs: ["text", "image"],
  sizes: ["1024x1024"],
  default_size: "1024x1024",
  max_reference_images: 1,
  parameters: { n: {}, prompt_extend: {} },
  pricing: { unit: "image", unit_quantity: 1, tokens: 42, tokens_per_reference_image: 21 },
} as unknown as Model;

const FIRST = "https://example.com/b.png";
const ENTERED = {
  prompt: "A boat",
  image_url: "https://example.com/a.png",
  image_urls: [FIRST, "https://example.com/c.png"],
  duration: 10,
  negative_prompt: "",
  seed: 7,
  prompt_extend: false,
  resolution: "720p",
  n: 2,
  simulate: "fail:timeout",
};
const SIMULATED = { metadata: { simulate: "fail:timeout" } };

describe("the request of the form", () => {
  it.each([
    ["text", VIDEO, { duration: 10, aspect_ratio: "16:9", seed: 7, resolution: "720p" }],
    ["a frame", FROM_IMAGE, { duration: 10, aspect_ratio: "16:9", image_url: ENTERED.image_url }],
    ["pictures", IMAGE, { size: "1024x1024", n: 2, prompt_extend: false, image_urls: [FIRST] }],
  ])("has what a model from %s accepts, and no other field", (_what, model, fields) => {
    expect(requestOf(ENTERED, model, "test")).toEqual({
      kind: model.kind,
      body: { model: model.id, prompt: "A boat", ...fields, ...SIMULATED },
    });
    expect(requestOf(ENTERED, model, "live").body).not.toHaveProperty("metadata");
  });

  it("is as code with examples in the empty fields that the model needs", () => {
    const model = { ...FROM_IMAGE, required_inputs: ["text", "image"] } as Model;
    expect(requestOf({}, model, "live", true).body).toMatchObject(EXAMPLES);
    expect(requestOf(ENTERED, model, "live", true)).toEqual(requestOf(ENTERED, model, "live"));
  });

  it.each([
    ["a duration between two steps", { duration: 7 }, { duration: 5 }],
    ["one beyond the longest", { duration: 15 }, { duration: 5 }],
    ["a ratio that it has not", { aspect_ratio: "9:16" }, { aspect_ratio: "16:9" }],
  ])("has the model's default for %s", (_what, entered, fitted) => {
    const values = fitToModel({ ...ENTERED, ...entered, resolution: "8k" }, VIDEO);
    expect(values).toMatchObject(fitted);
    // It does not list it, and has no default.
    expect(values).not.toHaveProperty("resolution");
  });

  it("begins with the model's defaults, or with all of an earlier generation's input", () => {
    expect(fitToModel({}, VIDEO)).toMatchObject({ duration: 5, aspect_ratio: "16:9", prompt: "" });
    for (const model of [VIDEO, IMAGE]) {
      const { body } = requestOf({ ...ENTERED, end_user: "customer-7" }, model, "test");
      const input = { image_urls: [], prompt_extend: true, ...body } as never;
      expect(requestOf(valuesOf(input), model, "test").body).toEqual(body);
    }
  });
});

it.each([
  [VIDEO, 420, "10 seconds at 42 Tokens per second"],
  [IMAGE, 126, "2 × (image 42 Tokens, and 1 × 21 for references)"],
  [{ ...VIDEO, pricing: undefined } as unknown as Model, undefined, /not verified yet/],
])("the price shown is what the request costs, and says how: $id", (model, price, text) => {
  expect(tokenPrice(ENTERED, model, "test")).toBe(price);
  expect(priceExplanation(ENTERED, model, "test")).toMatch(text);
});

it.each([
  [499, 500, "live", false],
  [500, 500, "live", false],
  [501, 500, "live", true],
  [501, 500, "test", false],
  [501, undefined, "live", false],
  [undefined, 500, "live", false],
] as const)(
  "asks before it spends %s Tokens where the account says %s, in %s mode: %s",
  (price, above, mode, asks) => {
    expect(asksFirst(price, { confirm_above_tokens: above } as Account, mode)).toBe(asks);
  },
);
