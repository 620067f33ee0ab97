/** listModels and retrieveModel. */
import { create } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, it } from "vitest";
import { Availability, Kind, ModelSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { catalogModels as models } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf } from "../../requests.ts";

const harness = useHarness();

const unpriced = create(ModelSchema, {
  id: "gamma-image-preview",
  kind: Kind.IMAGE,
  inputs: ["text"],
  requiredInputs: ["text"],
  availability: Availability.PRICING_UNVERIFIED,
  sizes: ["1024x1024"],
  defaultSize: "1024x1024",
});
beforeEach(() => {
  harness.backends.listModels = () => ({ models: [...models, unpriced] });
});

const get = (path: string) => harness.send(path, { headers: headersOf(harness.key.secret) });

describe("GET /v1/models", () => {
  it("lists the whole catalog in one page", async () => {
    const response = await get("/v1/models");
    expect(response.status).toBe(200);
    const body = (await response.json()) as { data: { id: string }[] };
    expect(body).toMatchObject({ object: "list", has_more: false });
    expect(body.data.map(({ id }) => id)).toEqual([
      "alpha-2.0",
      "alpha-2.0-fast",
      "alpha-2.0-mini",
      "beta-2.7-text-to-video",
      "beta-2.7-image-to-video",
      "beta-3.0-video",
      "gamma-image-3.0-pro",
      "gamma-image-preview",
    ]);
  });
});

describe("GET /v1/models/{id}", () => {
  it("shows every tier of an image's price by its own name", async () => {
    const gamma = models.find(({ id }) => id === "gamma-image-3.0-pro");
    const [tier] = gamma?.pricing?.tiers ?? [];
    if (!gamma?.pricing || !tier) throw new Error("the catalog has no image model with tiers");
    const tiers = [...gamma.pricing.tiers, { ...tier, tier: "4K", sizes: ["4096x4096"] }];
    const model = create(ModelSchema, { ...gamma, pricing: { ...gamma.pricing, tiers } });
    harness.backends.listModels = () => ({ models: [model] });
    const body = (await (await get("/v1/models/gamma-image-3.0-pro")).json()) as {
      pricing: { tiers: { tier: string }[] };
    };
    expect(body.pricing.tiers.map((one) => one.tier)).toEqual(["1K", "2K", "4K"]);
  });

  it("shows a video model with its rules and price", async () => {
    expect(await (await get("/v1/models/alpha-2.0")).json()).toEqual({
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
      fields: [
        "model",
        "prompt",
        "image_url",
        "duration",
        "aspect_ratio",
        "negative_prompt",
        "seed",
        "resolution",
        "audio",
        "last_image_url",
        "webhook_url",
        "end_user",
        "metadata",
      ],
      parameters: {
        seed: {},
        resolution: { values: ["720P"] },
        audio: {},
        last_image_url: {},
      },
      pricing: { currency: "token", unit: "second", unit_quantity: 5, tokens: 210 },
    });
  });

  it("lists the fields of each model: all that every one takes, and of the others what it takes", async () => {
    const fieldsOf = async (id: string) =>
      ((await (await get(`/v1/models/${id}`)).json()) as { fields: string[] }).fields;
    const common = ["model", "prompt", "negative_prompt", "webhook_url", "end_user", "metadata"];
    for (const { id, kind, inputs, parameters } of models) {
      const ofKind =
        kind === Kind.VIDEO
          ? ["duration", "aspect_ratio", ...(inputs.includes("image") ? ["image_url"] : [])]
          : ["size", ...(inputs.includes("image") ? ["image_urls"] : [])];
      const expected = [...common, ...ofKind, ...Object.keys(parameters)];
      expect([id, (await fieldsOf(id)).toSorted()]).toEqual([id, expected.toSorted()]);
    }
    expect(await fieldsOf("gamma-image-preview")).not.toContain("image_urls");
  });

  it("names the model that was probably meant, and where all of them are", async () => {
    for (const prefix of ["/v1", "/openai/v1"]) {
      for (const id of ["gamma-image-3.0-por", "GAMMA-IMAGE-3.0-PRO"]) {
        const near = await errorOf(await get(`${prefix}/models/${id}`));
        expect(near.message).toBe(
          `There is no such model. Did you mean "gamma-image-3.0-pro"? GET ${prefix}/models lists them.`,
        );
      }
      const far = await errorOf(await get(`${prefix}/models/${"x".repeat(5_000)}`));
      expect(far.message).toBe(`There is no such model. GET ${prefix}/models lists them.`);
    }
  });
});
