/** Prices: what a discount makes of them, what a generation is charged, and how long discounts are kept. */
import { describe, expect, it, beforeEach } from "vitest";
import { create } from "@bufbuild/protobuf";
import {
  ImageInputSchema,
  ModelSchema,
  PricingSchema,
  VideoInputSchema,
} from "#gen/proto/media/generation/v1/generation_pb.ts";
import {
  GetDiscountsResponseSchema,
  type GetDiscountsResponse,
} from "#gen/proto/media/billing/v1/billing_pb.ts";
import { discountedPrice, discounted } from "../../../services/generation/domain/discount.ts";
import { priceOf } from "../../../services/generation/domain/plan.ts";
import { accountDiscounts } from "../../../services/generation/catalog/discounts.ts";
import { manualClock } from "../../support/manual-clock.ts";

const image = create(ModelSchema, {
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
    const own = discounted(image, new Map([["", 3_333]]));
    const [small, large] = own.pricing?.tiers ?? [];
    expect([small?.tokens, large?.tokens, own.pricing?.tokensPerReferenceImage]).toEqual([
      29n,
      57n,
      15n,
    ]);
    if (!own.pricing) throw new Error("the model has no price");
    const asked = { size: "2x2", imageUrls: ["a", "b", "c"], background: "transparent" };
    expect(own.pricing.surcharges).toMatchObject([{ tokens: 7n, listTokens: 10n }]);
    expect(priceOf(own.pricing, create(ImageInputSchema, asked))).toBe(57n + 7n + 3n * 15n);
    const four = create(ImageInputSchema, { ...asked, n: 4 });
    expect(priceOf(own.pricing, four)).toBe(4n * (57n + 7n + 3n * 15n));
  });

  it("is shown beside the list price only where they differ", () => {
    const own = discounted(
      image,
      new Map([
        ["image", 5_000],
        ["", 9_000],
      ]),
    );
    expect([own.pricing?.tokens, own.pricing?.listTokens]).toEqual([21n, 42n]);
    expect(discounted(image, new Map([["other", 5_000]])).pricing?.listTokens).toBeUndefined();
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
    const asked = create(VideoInputSchema, { duration: seconds });
    expect(priceOf(pricing, asked)).toBe(units * 210n);
  });

  it("costs the surcharges of what it asks for with each unit, and its references once", () => {
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
    const priceWith = (fields: object) =>
      priceOf(pricing, create(VideoInputSchema, { duration: 10, ...fields }));
    expect(priceWith({})).toBe(420n);
    expect(priceWith({ resolution: "720P", audio: false })).toBe(420n);
    expect(priceWith({ resolution: "1080P", audio: true })).toBe(2n * 340n);
    expect(priceWith({ videoUrl: "https://videos.test/a.mp4" })).toBe(2n * 217n);
    const references = [1, 2].map((n) => ({ url: `https://pictures.test/${n}`, role: "subject" }));
    expect(priceWith({ referenceImages: references })).toBe(420n + 2n * 21n);
  });
});

/** The answers that billing still owes, in the order of its calls. */
let calls: PromiseWithResolvers<GetDiscountsResponse>[] = [];
beforeEach(() => void (calls = []));

const answer = (basisPoints: number) =>
  create(GetDiscountsResponseSchema, { discounts: [{ model: "", basisPoints }] });

function discounts(clock = manualClock()) {
  const getDiscounts = () => {
    const call = Promise.withResolvers<GetDiscountsResponse>();
    calls.push(call);
    return call.promise;
  };
  return { clock, discountsOf: accountDiscounts({ getDiscounts }, clock) };
}

it("are read again after a second, and by account", async () => {
  const { clock, discountsOf } = discounts();
  const first = discountsOf("acc_1");
  calls[0]?.resolve(answer(100));
  expect(await first).toEqual(new Map([["", 100]]));
  expect(await discountsOf("acc_1")).toEqual(new Map([["", 100]]));
  void discountsOf("acc_2");
  expect(calls).toHaveLength(2);
  clock.advance(1_001);
  const next = discountsOf("acc_1");
  calls[2]?.resolve(answer(200));
  expect(await next).toEqual(new Map([["", 200]]));
});

it("that could not be read are read again at once", async () => {
  const { discountsOf } = discounts();
  const failed = discountsOf("acc_1");
  calls[0]?.reject(new Error("unavailable"));
  await expect(failed).rejects.toThrow("unavailable");
  void discountsOf("acc_1");
  expect(calls).toHaveLength(2);
});
