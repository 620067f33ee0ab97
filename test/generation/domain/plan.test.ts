/** What a request may have, and what it costs: optional fields, `metadata.simulate`, the same request again, and prices. */
import { create } from "@bufbuild/protobuf";
import media from "#gen/openapi/media.json" with { type: "json" };
import {
  Availability,
  ImageInputSchema,
  Kind,
  ModelSchema,
  PricingSchema,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  GetDiscountsResponseSchema,
  type GetDiscountsResponse,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import {
  commonLackOf,
  lackOf,
  type Serving,
} from "../../../services/generation/domain/capabilities.ts";
import { discountedPrice, discounted } from "../../../services/generation/domain/discount.ts";
import { accountDiscounts } from "../../../services/generation/catalog/discounts.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { PARAMETERS } from "../../../services/generation/domain/parameters.ts";
import {
  planGeneration,
  priceOf,
  type Input,
  withDefaults,
} from "../../../services/generation/domain/plan.ts";
import { FAILURE_CODES } from "../../../services/generation/domain/failures.ts";
import { FIELDS } from "../providers/conformance-fields.ts";
import { storedUrls } from "../../../services/generation/domain/input-urls.ts";
import { simulationFaults } from "../../../services/generation/domain/simulation.ts";
import { inputToJson } from "../../../services/generation/domain/generation.ts";
import { differingField } from "../../../services/generation/domain/same-request.ts";

const url = "https://pictures.test/a.png";
const common = { availability: Availability.AVAILABLE, inputs: ["text", "image"] };
const videoModel = {
  ...common,
  id: "v",
  kind: Kind.VIDEO,
  durations: { min: 5, max: 5, step: 1, default: 5 },
  aspectRatios: ["16:9"],
  defaultAspectRatio: "16:9",
  pricing: { unitQuantity: 5, tokens: 10n },
};
const imageModel = {
  ...common,
  id: "i",
  kind: Kind.IMAGE,
  sizes: ["1x1"],
  defaultSize: "1x1",
  maxReferenceImages: 1,
  pricing: { unitQuantity: 1, tokens: 10n },
};
const video = (fields: object) => create(VideoInputSchema, { prompt: "A cat", ...fields });
const image = (fields: object) => create(ImageInputSchema, { prompt: "A cat", ...fields });
const asked = (["video", "image"] as const).flatMap((kind) =>
  Object.entries(FIELDS[kind]).map(([field, { input }]): { field: string; input: Input } => ({
    field,
    input: kind === "video" ? video(input) : image(input),
  })),
);
const references = (...roles: string[]) => ({
  referenceImages: roles.map((role) => ({ url, role })),
});
const isVideo = (input: Input) => input.$typeName === VideoInputSchema.typeName;

it("a file of the account is found in every field that takes a URL", () => {
  const url = `https://media.example/assets/${"0".repeat(26)}.png`;
  const referenceImages = [{ url }];
  const inputs = [
    video({ imageUrl: url, lastImageUrl: url, referenceImages, videoUrl: url }),
    image({ imageUrls: [url], maskUrl: url }),
  ];
  expect(inputs.map((input) => storedUrls(input).map(({ field }) => field))).toEqual([
    ["image_url", "last_image_url", "reference_images[0].url", "video_url"],
    ["image_urls[0]", "mask_url"],
  ]);
});

function faultsOf(input: Input, parameters: object) {
  const fields = isVideo(input) ? videoModel : imageModel;
  const model = create(ModelSchema, { ...fields, parameters: { ...parameters } });
  const planned = planGeneration(model.id, model, input, () => [model]);
  return planned.kind === "refused" ? planned.faults : [];
}

describe("a field that only some models take", () => {
  it("is marked in the public document as one that the parameters of a model declare, and tried with providers", () => {
    const { CreateVideoGenerationRequest: video, CreateImageGenerationRequest: image } =
      media.components.schemas;
    for (const [kind, { properties }] of [
      ["video", video],
      ["image", image],
    ] as const) {
      const isMarked = (schema: { "x-model-property"?: string }) =>
        schema["x-model-property"] === "parameters";
      const marked = Object.entries<object>(properties).filter(([, schema]) => isMarked(schema));
      expect(marked.map(([name]) => name).toSorted()).toEqual([...PARAMETERS[kind]].toSorted());
      expect(Object.keys(FIELDS[kind])).toEqual(PARAMETERS[kind]);
    }
  });

  it("needs a picture, which may be a file of one's own, where the model or another field does", () => {
    const required = { ...videoModel, requiredInputs: ["text", "image"] };
    const model = create(ModelSchema, required);
    const planned = planGeneration("v", model, video({}), () => [model]);
    expect(planned).toMatchObject({
      faults: [
        {
          reason: ErrorReason.IMAGE_URL_REQUIRED,
          message:
            "v needs image_url: a public https URL of the first frame, or the url that POST /v1/files returns.",
        },
      ],
    });
    for (const other of [image({ maskUrl: url }), video({ lastImageUrl: url })]) {
      const [fault] = faultsOf(other, { mask_url: {}, last_image_url: {} });
      expect(fault?.message).toMatch(/ or (?:the url|urls) that POST \/v1\/files returns\.$/);
      // A model that does not take the field says that alone.
      expect(faultsOf(other, {})).toMatchObject([{ message: expect.stringMatching(/not take/) }]);
    }
  });

  it.each(asked)(
    "$field is refused by its name unless the model declares it",
    ({ field, input }) => {
      const [fault, ...others] = faultsOf(input, {});
      expect(fault).toMatchObject({ reason: ErrorReason.UNSUPPORTED_PARAMETER, field });
      expect(fault?.message).toMatch(
        new RegExp(`^[vi] does not take ${field}\\. Leave it out; no model takes it now\\.$`),
      );
      expect(others).toEqual([]);
      expect(faultsOf(input, { [field]: {} })).toEqual([]);
    },
  );

  it.each([
    [{ resolution: "1080P" }, []],
    [{ resolution: "4K" }, ["resolution: v takes 720P, 1080P."]],
    [references("subject", "subject"), []],
    [references("subject", "style"), ["reference_images: v takes subject."]],
    [references("subject", "subject", "subject"), ["reference_images: v takes 1 to 2."]],
  ])(
    "of a value or a number that the model does not declare is told what it takes: %j",
    (fields, told) => {
      const parameters = {
        resolution: { values: ["720P", "1080P"] },
        reference_images: { values: ["subject"], max: 2 },
      };
      expect(faultsOf(video(fields), parameters).map(({ message }) => message)).toEqual(told);
    },
  );

  it.each<[Input, string]>([
    [video({ lastImageUrl: url }), "image_url"],
    [video({ imageUrl: url, ...references("subject") }), "reference_images"],
    [video({ videoUrl: url, ...references("subject") }), "video_url"],
    [image({ maskUrl: url }), "image_urls"],
    [image({ background: "transparent", outputFormat: "jpeg" }), "background"],
  ])("is refused where it contradicts another one: %#", (input, field) => {
    const parameters = Object.fromEntries(asked.map((one) => [one.field, {}]));
    expect(faultsOf(input, parameters).map((fault) => fault.field)).toEqual([field]);
  });
});

describe("an upstream", () => {
  const lackWith = (upstream: Partial<Serving>, input: Input) =>
    lackOf({ parameters: {}, provider: {}, ...upstream }, input);

  it.each(asked)("whose provider does not carry $field lacks it", ({ field, input }) => {
    const carries = () => ({ [field]: {} });
    const capabilities = { parameters: { [field]: {} } };
    expect(lackWith({ capabilities }, input)).toMatchObject({ field });
    expect(lackWith({ provider: { carries } }, input)).toBeUndefined();
    expect(lackWith({ provider: { carries }, capabilities: {} }, input)).toBeUndefined();
    expect(
      lackWith({ provider: { carries }, capabilities: { parameters: {} } }, input),
    ).toMatchObject({ field });
  });

  it.each([
    [{ durations: [4, 6, 8] }, video({ duration: 5 }), "duration"],
    [{ aspect_ratios: ["16:9"] }, video({ aspectRatio: "1:1" }), "aspect_ratio"],
    [{ max_pictures: 0 }, video({ imageUrl: url }), "image_url"],
    [{ sizes: ["1024x1024"] }, image({ size: "2048x2048" }), "size"],
    [{ max_pictures: 1 }, image({ imageUrls: [url, url] }), "image_urls"],
  ])("that makes only %o lacks what is beyond, unless another one has it", (only, input, field) => {
    const limited: Serving = { capabilities: only, parameters: {}, provider: {} };
    const other: Serving = { parameters: {}, provider: {} };
    expect(commonLackOf([limited, limited], input)?.field).toBe(field);
    expect(commonLackOf([limited, other], input)).toBeUndefined();
    expect(lackWith(limited, video({ duration: 4, aspectRatio: "16:9" }))).toBeUndefined();
  });

  it("has nothing to carry of what every model does", () => {
    expect(lackWith({}, image({ promptExtend: true, n: 1 }))).toBeUndefined();
    const plain = { negativePrompt: "rain", duration: 5, imageUrl: url };
    expect(lackWith({}, video(plain))).toBeUndefined();
  });
});

describe("metadata.simulate", () => {
  const faultsIn = (mode: "live" | "test", simulate: string) =>
    simulationFaults(mode, { simulate });

  it("takes what the simulator does, and may be absent", () => {
    const failures = FAILURE_CODES.map((code) => `fail:${code}`);
    for (const simulate of ["success", "hang", "slow:0", "slow:2.5", ...failures]) {
      expect([simulate, faultsIn("test", simulate)]).toEqual([simulate, []]);
    }
    expect(simulationFaults("test", { note: "nonsense" })).toEqual([]);
  });

  it.each(["", "nonsense", "Success", "fail:", "fail:bogus", "slow:", "slow:-1", "slow:1e9"])(
    "refuses %j in test mode, naming the field and what is allowed",
    (simulate) => {
      const message = expect.stringContaining("fail:content_rejected") as string;
      const fault = { field: "metadata.simulate", message };
      expect(faultsIn("test", simulate)).toMatchObject([fault]);
      expect(faultsIn("live", simulate)).toEqual([]);
    },
  );
});

it.each([
  [-0, undefined],
  [1, "seed"],
])("a retry with seed %d of a request with 0 differs in %s", (seed, field) => {
  const { input, defaulted } = withDefaults(undefined, image({ seed: 0 }));
  const row = { model: "m", input: inputToJson(input), defaulted };
  expect(differingField(row, "m", undefined, image({ seed }))).toBe(field);
});

it("a retry is the same where it gives the default of a field, or leaves out what had it", () => {
  const model = create(ModelSchema, { ...videoModel, resolution: "720P" });
  for (const [make, given] of [
    [image, { n: 1 }],
    [video, { resolution: "720P" }],
  ] as const) {
    for (const [first, retry] of [
      [given, {}],
      [{}, given],
    ] as const) {
      const { input, defaulted } = withDefaults(model, make(first));
      const row = { model: "m", input: inputToJson(input), defaulted };
      expect(differingField(row, "m", model, make(retry))).toBeUndefined();
    }
  }
});

const priced = create(ModelSchema, {
  id: "image",
  pricing: {
    unit: "image",
    unitQuantity: 1,
    tokens: 42n,
    tiers: [
      { tier: "1K", sizes: ["1x1"], tokens: 42n },
      { tier: "2K", sizes: ["2x2"], tokens: 84n },
    ],
    tokensPerReferenceImage: 21n,
    surcharges: [{ parameter: "background", value: "transparent", tokens: 10n }],
  },
});

describe("a discounted unit price", () => {
  it.each([
    [100n, 0, 100n],
    [100n, 1, 100n],
    [100n, 100, 99n],
    [100n, 9_999, 1n],
    [100n, 10_000, 0n],
    [169n, 1_500, 144n],
    [1n, 5_000, 1n],
    [0n, 5_000, 0n],
  ])("of %i Tokens at %i basis points is %i", (tokens, basisPoints, expected) => {
    expect(discountedPrice(tokens, basisPoints)).toBe(expected);
  });

  it("is what is charged, unit by unit: credits are units times the prices shown", () => {
    const { pricing } = discounted(priced, new Map([["", 3_333]]));
    if (!pricing) throw new Error("the model has no price");
    expect(pricing).toMatchObject({
      tiers: [{ tokens: 29n }, { tokens: 57n }],
      tokensPerReferenceImage: 15n,
      surcharges: [{ tokens: 7n, listTokens: 10n }],
    });
    const asked = { size: "2x2", imageUrls: ["a", "b", "c"], background: "transparent" };
    expect(priceOf(pricing, image(asked))).toBe(57n + 7n + 3n * 15n);
    expect(priceOf(pricing, image({ ...asked, n: 4 }))).toBe(4n * (57n + 7n + 3n * 15n));
  });

  it("is shown beside the list price only where they differ", () => {
    const basisPoints = new Map(Object.entries({ image: 5_000, "": 9_000 }));
    expect(discounted(priced, basisPoints).pricing).toMatchObject({ tokens: 21n, listTokens: 42n });
    expect(discounted(priced, new Map([["other", 5_000]])).pricing?.listTokens).toBeUndefined();
  });
});

describe("a video", () => {
  it.each([
    [1, 1n],
    [5, 1n],
    [6, 2n],
    [10, 2n],
    [15, 3n],
  ])("of %i seconds is charged %i started units of 5", (seconds, units) => {
    const pricing = create(PricingSchema, { unitQuantity: 5, tokens: 210n });
    expect(priceOf(pricing, video({ duration: seconds }))).toBe(units * 210n);
  });

  it.each<[object, bigint]>([
    [{}, 420n],
    [{ resolution: "720P", audio: false }, 420n],
    [{ resolution: "1080P", audio: true }, 2n * 340n],
    [{ videoUrl: "https://videos.test/a.mp4" }, 2n * 217n],
    [references("subject", "subject"), 420n + 2n * 21n],
  ])(
    "of ten seconds and %j costs its surcharges with each unit, and references once: %i",
    (fields, tokens) => {
      const pricing = create(PricingSchema, {
        unitQuantity: 5,
        tokens: 210n,
        tokensPerReferenceImage: 21n,
        surcharges: [
          { parameter: "resolution", value: "1080P", tokens: 100n },
          { parameter: "audio", value: "true", tokens: 30n },
          { parameter: "video_url", tokens: 7n },
        ],
      });
      expect(priceOf(pricing, video({ duration: 10, ...fields }))).toBe(tokens);
    },
  );
});

describe("discounts of an account", () => {
  /** Billing's answer is another each time. */
  function discounts() {
    const clock = manualClock();
    let calls = 0;
    const getDiscounts = vi.fn<() => Promise<GetDiscountsResponse>>(async () =>
      create(GetDiscountsResponseSchema, { discounts: [{ basisPoints: ++calls }] }),
    );
    const discountsOf = accountDiscounts({ getDiscounts }, clock);
    return { clock, getDiscounts, read: async (id: string) => (await discountsOf(id)).get("") };
  }

  it("are read again after a second, and by account", async () => {
    const { clock, read } = discounts();
    expect([await read("acc_1"), await read("acc_1"), await read("acc_2")]).toEqual([1, 1, 2]);
    clock.advance(1_001);
    expect(await read("acc_1")).toBe(3);
  });

  it("that could not be read are read again at once", async () => {
    const { getDiscounts, read } = discounts();
    getDiscounts.mockRejectedValueOnce(new Error("unavailable"));
    await expect(read("acc_1")).rejects.toThrow("unavailable");
    expect(await read("acc_1")).toBe(1);
  });
});
