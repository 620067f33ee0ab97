/** The provider of the AI SDK: its place in a registry, its settings, and outages of the service. */
import {
  createProviderRegistry,
  experimental_generateVideo as generateVideo,
  generateImage,
} from "ai";
import { describe, expect, it } from "vitest";
import {
  createMediaGeneration,
  type MediaGenerationSettings,
} from "../../../clients/ai-sdk/index.ts";
import { IMAGE, newProvider, poll, VIDEO } from "./provider-fixture.ts";

describe.each(["image", "video"] as const)("an outage while the %s is made", (kind) => {
  const IDS = { image: "igen_1", video: "vgen_1" };
  const broken = () =>
    new Promise<never>((_resolve, reject) => {
      setImmediate(() =>
        reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })),
      );
    });
  const withOutage = (settings: MediaGenerationSettings) => {
    let sleptMs = 0;
    const provider = createMediaGeneration({
      apiKey: "k",
      baseURL: "https://a.example.com",
      fetch: ({ method }) =>
        method === "POST"
          ? Promise.resolve(Response.json({ id: IDS[kind], status: "pending", output: [] }))
          : broken(),
      timing: {
        sleep: async (ms) => void (sleptMs += ms),
        nowMs: () => sleptMs,
      },
      ...settings,
    });
    const made =
      kind === "image"
        ? generateImage({ model: provider.image(IMAGE), prompt: "a boat" })
        : generateVideo({ model: provider.video(VIDEO), prompt: "a boat", poll });
    return made.catch((error: unknown) => ({ error, sleptMs }));
  };

  it("is put up with for about a minute, and the error says which generation goes on", async () => {
    expect(await withOutage({})).toMatchObject({
      sleptMs: expect.closeTo(60_000, -4.7) as number,
      error: {
        message: `The service at https://a.example.com cannot be reached: ECONNREFUSED. ${IDS[kind]} was created, and goes on.`,
        data: { details: { generation_id: IDS[kind] } },
      },
    });
    expect(await withOutage({ maxAttempts: 1 })).toMatchObject({ sleptMs: 0 });
  });
});

describe("the provider", () => {
  it("works in a registry, and has no models of other kinds", async () => {
    const { media } = await newProvider();
    const registry = createProviderRegistry({ media });
    const model = registry.imageModel(`media:${IMAGE}`);
    expect((await generateImage({ model, prompt: "a boat" })).images).toHaveLength(1);
    expect(() => media.languageModel("gpt")).toThrow("No such languageModel: gpt");
  });

  it("names what is missing when it is used, not when it is made", async () => {
    const without = createMediaGeneration();
    const call = generateImage({ model: without.image(IMAGE), prompt: "a boat" });
    await expect(call).rejects.toThrow(
      "Give createMediaGeneration the option baseURL, or set MEDIA_BASE_URL in the environment.",
    );
  });
});
