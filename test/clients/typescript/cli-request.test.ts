/** The request that the command line makes of its options, and the price that it shows before. */
import { expect, it } from "vitest";
import { commandLine } from "../../../clients/typescript/cli/commands.ts";
import { inApiNames, requestFor } from "../../../clients/typescript/cli/create.ts";
import { quoteTokens, type Model } from "../../../clients/typescript/index.ts";

const video = {
  id: "alpha-2.0",
  kind: "video",
  durations: { min: 5, max: 15, step: 1, default: 5 },
  pricing: { unit: "second", unit_quantity: 5, tokens: 210 },
} as Model;
const image = {
  id: "gamma",
  kind: "image",
  default_size: "1024x1024",
  parameters: { n: { max: 4 }, output_format: { values: ["png", "webp"] } } as Model["parameters"],
  pricing: {
    tokens: 42,
    tiers: [
      { tier: "1K", sizes: ["1024x1024"], tokens: 42 },
      { tier: "2K", sizes: ["2048x2048"], tokens: 84 },
    ],
    tokens_per_reference_image: 21,
  },
} as Model;

const surcharges = [
  { parameter: "resolution", value: "1080P", tokens: 100 },
  { parameter: "audio", tokens: 7 },
];
const priced = { ...video, pricing: { ...video.pricing, surcharges } } as Model;
const inSteps = { ...video, durations: { min: 5, max: 15, step: 5, default: 5 } };
const two = ["https://a", "https://b"];

it.each<[string, Model, object, number | undefined]>([
  ["a video of the default duration", video, {}, 210],
  ["a whole unit", video, { duration: 5 }, 210],
  ["the units that are started", video, { duration: 6 }, 420],
  ["an image of the default size", image, {}, 42],
  ["that size and references", image, { size: "2048x2048", image_urls: two }, 126],
  ["all images", image, { n: 3, output_format: "webp", image_urls: ["https://a"] }, 189],
  ["what is asked for above that", priced, { duration: 6, resolution: "1080P" }, 620],
  ["nothing that is not asked for", priced, { resolution: "720P", audio: false }, 217],
  ["nothing, without a price", { ...video, pricing: null }, {}, undefined],
  ["nothing, below the model's lengths", video, { duration: 4 }, undefined],
  ["nothing, above the model's lengths", video, { duration: 16 }, undefined],
  ["nothing, between the model's lengths", inSteps, { duration: 6 }, undefined],
  ["nothing, for another size", image, { size: "1x1" }, undefined],
  ["nothing, for a part of an image", image, { n: 1.5 }, undefined],
  ["nothing, for more images than the model makes", image, { n: 5 }, undefined],
  ["nothing, where it makes one", { ...image, parameters: {} }, { n: 2 }, undefined],
  ["nothing, for a format that it has not", image, { output_format: "jpeg" }, undefined],
])("the price shown before the create is that of %s", (_of, model, options, tokens) => {
  expect(quoteTokens(model, { model: model.id, prompt: "a cat", ...options })).toBe(tokens);
});

/** The arguments that commander gives to the command of that line. */
function argumentsOf(line: string, ...more: string[]): unknown[] {
  let given: unknown[] = [];
  const program = commandLine(
    () =>
      async (...args) =>
        void (given = args),
  );
  program.parse([...line.split(" "), ...more], { from: "user" });
  return given;
}

it.each<[string, object]>([
  [
    "video --model v --metadata order=1 --image https://a --no-audio --last-image https://b",
    { metadata: { order: "1" }, image_url: "https://a", audio: false, last_image_url: "https://b" },
  ],
  ["video --model v --aspect-ratio 1:1 --seed 7", { aspect_ratio: "1:1", seed: 7 }],
  [
    "image --model v --image https://a --n 2 --seed 0 --no-prompt-extend",
    { n: 2, seed: 0, image_urls: ["https://a"], prompt_extend: false },
  ],
])("the request of %s has the options under the names of the API", (line, fields) => {
  const given = argumentsOf(line, "a cat") as Parameters<typeof requestFor>;
  expect(requestFor(...given)).toEqual({ model: "v", prompt: "a cat", ...fields });
});

it("a list is asked for by the filters of the API, also from a cursor on", () => {
  const line = "list images --end-user u-7 --after igen_1 --limit 3 --created-before 2026-11-01";
  const [kind, filter] = argumentsOf(line) as [string, object];
  const { limit, ...named } = inApiNames(filter);
  expect([kind, limit]).toEqual(["images", 3]);
  const created_before = "2026-11-01T00:00:00Z";
  expect(named).toEqual({ end_user: "u-7", after: "igen_1", created_before });
});
