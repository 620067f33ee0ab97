/** Wrong values of fields whose values each model chooses. */
import { beforeEach, describe, expect, it } from "vitest";
import { useHarness } from "../../harness.ts";
import { errorOf, post } from "../../requests.ts";
import { catalogModels as models, refusing } from "../../backends.ts";

const harness = useHarness();

beforeEach(() => {
  harness.backends.listModels = () => ({ models });
});

async function refused(kind: "videos" | "images", body: object) {
  const path = `/v1/${kind}/generations`;
  const response = await harness.send(path, post(harness.key.secret, { prompt: "a cat", ...body }));
  expect(response.status).toBe(400);
  return errorOf(response);
}

const listOf = (id: string, property: "aspectRatios" | "sizes") =>
  models.find((model) => model.id === id)?.[property].join(", ");

describe("a wrong value of a field that models choose", () => {
  it.each(["16x9", "landscape", "\0"])(
    "aspect_ratio %j is answered with the model's",
    async (one) => {
      expect(await refused("videos", { model: "beta-3.0-video", aspect_ratio: one })).toMatchObject(
        {
          code: "invalid_value",
          param: "aspect_ratio",
          message: `aspect_ratio: beta-3.0-video takes ${listOf("beta-3.0-video", "aspectRatios")}.`,
        },
      );
    },
  );

  it.each(["1024*1024", "big"])("size %s is answered with the model's", async (size) => {
    const { message } = await refused("images", { model: "gamma-image-3.0-pro", size });
    expect(message).toBe(
      `size: gamma-image-3.0-pro takes ${listOf("gamma-image-3.0-pro", "sizes")}.`,
    );
  });

  it("is answered with the values of a parameter, or that the model has none", async () => {
    const ofAlpha = await refused("videos", { model: "alpha-2.0", resolution: "720p" });
    expect(ofAlpha.message).toBe("resolution: alpha-2.0 takes 720P.");
    const image = await refused("images", { model: "gamma-image-3.0-pro", n: 9 });
    expect(image.message).toBe("n: gamma-image-3.0-pro takes at most 4.");
    harness.backends.listModels = () => ({
      models: models.map((one) => ({ ...one, parameters: {} })),
    });
    const without = await refused("videos", { model: "alpha-2.0", resolution: "720p" });
    expect(without.message).toMatch(/^alpha-2\.0 does not take resolution\. Leave it out/);
  });

  it("is answered with the model's durations where no model makes that one", async () => {
    const error = await refused("videos", { model: "alpha-2.0", duration: 0 });
    expect(error).toMatchObject({
      code: "out_of_range",
      message: "duration: alpha-2.0 takes 5 to 15 seconds in steps of 5.",
    });
  });

  it("is answered with the field's own rules where those are the model's too", async () => {
    const { message } = await refused("videos", { model: "alpha-2.0", seed: -1 });
    expect(message).toBe("seed must be from 0 to 2147483647.");
  });

  it("is answered beside the other faults", async () => {
    const body = { model: "beta-3.0-video", prompt: "", aspect_ratio: "wide", webhook_url: "x" };
    const { errors } = await refused("videos", body);
    expect(errors?.map(({ param }) => param)).toEqual(["prompt", "aspect_ratio", "webhook_url"]);
    expect(errors?.[1]?.message).toContain("aspect_ratio: beta-3.0-video takes 16:9");
  });

  it("is answered by its form where the model is unknown, of the other kind or cannot be asked for", async () => {
    const form = /^aspect_ratio does not have the right form\. An example: "16:9"\. GET/;
    for (const model of ["delta", "gamma-image-3.0-pro"]) {
      expect((await refused("videos", { model, aspect_ratio: "wide" })).message).toMatch(form);
    }
    harness.backends.listModels = refusing("UNAVAILABLE", "away");
    const error = await refused("videos", { model: "beta-3.0-video", aspect_ratio: "wide" });
    expect(error.message).toMatch(form);
  });

  it("costs no look at the models where nothing depends on them", async () => {
    await refused("videos", { model: "beta-3.0-video", prompt: "", duration: "5" });
    expect(harness.calls).toEqual([]);
  });
});
