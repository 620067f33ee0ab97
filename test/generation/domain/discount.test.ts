/** Prices: what a discount makes of them, and what a generation is charged. */
import { describe, expect, it } from "vitest";
import { create } from "@bufbuild/protobuf";
import { ModelSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { discountedPrice, discounted } from "../../../services/generation/domain/discount.ts";
import { imageTokens, videoTokens } from "../../../services/generation/domain/plan.ts";

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
    expect(imageTokens(own.pricing, "2x2", 3)).toBe(57n + 3n * 15n);
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
    const pricing = { ...image.pricing, unitQuantity: 5, tokens: 210n };
    expect(videoTokens(pricing as never, seconds)).toBe(units * 210n);
  });
});
