/** listModels and retrieveModel. */
import { create } from "@bufbuild/protobuf";
import {
  Availability,
  Kind,
  ModelSchema,
  type Model,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import { catalogModels as models } from "../../backends.ts";
import { useHarness } from "../../harness.ts";

const harness = useHarness();

const GAMMA = models.find(({ id }) => id === "gamma-image-3.0-pro") as Model;
const UNPRICED = create(ModelSchema, {
  ...GAMMA,
  id: "gamma-image-preview",
  inputs: ["text"],
  availability: Availability.PRICING_UNVERIFIED,
  pricing: undefined,
});
beforeEach(() => {
  harness.backends.listModels = () => ({ models: [...models, UNPRICED] });
});

const shown = (id: string) => harness.json<{ [name: string]: unknown }>(`/v1/models/${id}`);

it("the list has the whole catalog in one page", async () => {
  const data = [...models, UNPRICED].map(({ id }) => ({ id }));
  expect(await harness.json("/v1/models")).toMatchObject({ object: "list", has_more: false, data });
});

describe("a model", () => {
  it("shows every tier of an image's price by its own name", async () => {
    const [tier] = GAMMA.pricing?.tiers ?? [];
    if (!GAMMA.pricing || !tier) throw new Error("the catalog has no image model with tiers");
    const tiers = [...GAMMA.pricing.tiers, { ...tier, tier: "4K", sizes: ["4096x4096"] }];
    const model = create(ModelSchema, { ...GAMMA, pricing: { ...GAMMA.pricing, tiers } });
    harness.backends.listModels = () => ({ models: [model] });
    const { pricing } = await shown(GAMMA.id);
    expect(pricing).toMatchObject({ tiers: ["1K", "2K", "4K"].map((tier) => ({ tier })) });
  });

  it("of videos shows its rules and price", async () => {
    const { fields: _, ...model } = await shown("alpha-2.0");
    expect(model).toEqual({
      id: "alpha-2.0",
      object: "model",
      kind: "video",
      inputs: ["text", "image"],
      required_inputs: ["text"],
      availability: "available",
      resolution: "720P",
      durations: { min: 5, max: 15, step: 5, default: 5 },
      aspect_ratios: ["16:9", "9:16", "1:1", "4:3", "3:4", "21:9"],
      default_aspect_ratio: "16:9",
      sizes: [],
      max_reference_images: 1,
      parameters: { seed: {}, resolution: { values: ["720P"] }, audio: {}, last_image_url: {} },
      pricing: { currency: "token", unit: "second", unit_quantity: 5, tokens: 210 },
    });
  });

  it("lists its fields: all that every one takes, and of the others what it takes", async () => {
    const common = ["model", "prompt", "negative_prompt", "webhook_url", "end_user", "metadata"];
    for (const { id, kind, inputs, parameters } of [...models, UNPRICED]) {
      const [own, picture] =
        kind === Kind.VIDEO
          ? [["duration", "aspect_ratio"], "image_url"]
          : [["size"], "image_urls"];
      const taken = inputs.includes("image") ? [...own, picture] : own;
      const expected = [...common, ...taken, ...Object.keys(parameters)];
      const { fields } = await shown(id);
      expect([id, new Set(fields as string[])]).toEqual([id, new Set(expected)]);
    }
  });
});

it("a model whose price is not verified is unavailable, and has no price", async () => {
  const reason = { availability: "unavailable", unavailable_reason: "pricing_unverified" };
  expect(await shown(UNPRICED.id)).toMatchObject({ ...reason, pricing: null });
});
