/** The AI SDK's function for images on the provider, with the whole service behind it. */
import { APICallError, generateImage } from "ai";
import { beforeAll, describe, expect, it } from "vitest";
import { makeImage } from "../../support/make-media.ts";
import { IMAGE, listed, losingFirst, newProvider, type Provided } from "./provider-fixture.ts";

let { customer, media, native, providerWith, spent } = {} as Provided;
beforeAll(
  async () => void ({ customer, media, native, providerWith, spent } = await newProvider()),
);

describe("generateImage", () => {
  it("gives the bytes of the image, of the size that its shape asks for", async () => {
    const { image, warnings, providerMetadata } = await generateImage({
      model: media.image(IMAGE),
      prompt: "a lighthouse",
      aspectRatio: "1:1",
    });
    expect(warnings).toEqual([]);
    const [output] = listed(providerMetadata);
    const made = await native.images.retrieve(output?.id ?? "");
    expect(image.mediaType).toBe(made.output[0]?.content_type);
    expect(image.uint8Array).toHaveLength(made.output[0]?.bytes ?? 0);
    expect(made.input.size).toMatch(/^(\d+)x\1$/);
  });

  it("edits pictures that are bytes", async () => {
    const picture = new Uint8Array(makeImage("jpeg"));
    const { providerMetadata } = await generateImage({
      model: media.imageModel(IMAGE),
      prompt: { text: "in blue", images: [picture] },
    });
    const { input } = await native.images.retrieve(listed(providerMetadata)[0]?.id ?? "");
    expect(input.image_urls).toEqual([expect.stringContaining("/assets/")]);
  });

  it("is charged once where the answer is lost, and for each of n images once", async () => {
    const price = await spent(() => generateImage({ model: media.image(IMAGE), prompt: "one" }));
    expect(price).toBeGreaterThan(0);
    const losing = await providerWith(losingFirst("/images/generations"));
    const call = () =>
      generateImage({
        model: losing.image(IMAGE),
        prompt: "five lighthouses",
        n: 5,
        headers: { "idempotency-key": "order-2" },
      });
    const tokens = await spent(async () => {
      for (let i = 0; i < 2; i++) expect((await call()).images).toHaveLength(5);
    });
    expect(tokens).toBe(5 * price);
  });

  it("throws an error that the AI SDK does not repeat, where the image failed", async () => {
    const requests: string[] = [];
    const tests = await providerWith({
      apiKey: await customer.key("test"),
      onRequest: ({ method, url }) => void requests.push(`${method} ${url}`),
    });
    const failed = generateImage({
      model: tests.image(IMAGE),
      prompt: "a boat",
      providerOptions: { mediaGeneration: { metadata: { simulate: "fail:content_rejected" } } },
    });
    const error = await failed.catch((cause: unknown) => cause);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      isRetryable: false,
      statusCode: 400,
      message: expect.stringMatching(/^igen_\w+ failed: /) as string,
      url: expect.stringMatching(/\/v1\/images\/generations\/igen_\w+$/) as string,
      responseBody: expect.stringContaining('"failed"') as string,
      data: {
        code: "content_rejected",
        details: { generation_id: expect.stringMatching(/^igen_/) as string },
      },
    });
    expect(requests.filter((request) => request.startsWith("POST "))).toHaveLength(1);
  });

  it("refuses a shape that no size has", async () => {
    const model = media.image(IMAGE);
    await expect(generateImage({ model, prompt: "a boat", aspectRatio: "7:1" })).rejects.toThrow(
      "The model makes no aspectRatio 7:1. It makes 1024x1024, ",
    );
  });
});
