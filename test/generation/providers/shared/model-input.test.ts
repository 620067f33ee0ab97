/** What an upstream's parameters make of a job. */
import { expect, test } from "vitest";
import { modelInput } from "../../../../services/generation/providers/shared/input.ts";
import { jobWith } from "../provider-under-test.ts";

const image = jobWith({ kind: "image", width: 1152, height: 864, seed: 7 });

test("every part of a job can be named, and one that the job has not is not sent", () => {
  const parts = ["images", "image", "width", "height", "size", "aspect_ratio", "seed", "duration"];
  const names = Object.fromEntries(parts.map((part) => [part, `the_${part}`]));
  const job = { ...image, parameters: { names } };
  expect(modelInput(job, { prompt: "text" })).toEqual({
    text: image.prompt,
    the_width: 1152,
    the_height: 864,
    the_size: { width: 1152, height: 864 },
    the_aspect_ratio: "4:3",
    the_seed: 7,
  });
  const imageUrls = ["https://pictures.test/a.png", "https://pictures.test/b.png"];
  expect(modelInput({ ...job, imageUrls }, {})).toMatchObject({
    the_image: imageUrls[0],
    the_images: imageUrls,
  });
});

test("what the upstream fixes is sent as it is, but what the client asks for wins", () => {
  const parameters = { input: { seed: 1, quality: "high" }, names: { prompt: null } };
  const input = modelInput({ ...image, parameters }, { prompt: "prompt", seed: "seed" });
  expect(input).toEqual({ seed: 7, quality: "high" });
});

test("a negative prompt that the model does not take goes into the prompt", () => {
  const job = {
    ...image,
    negativePrompt: "rain",
    parameters: { names: { negative_prompt: null } },
  };
  const names = { prompt: "prompt", negative_prompt: "negative_prompt" };
  expect(modelInput(job, names)).toEqual({ prompt: `${image.prompt}\n\nAvoid: rain` });
  const { parameters: _names, ...taken } = job;
  expect(modelInput({ ...taken, parameters: {} }, names)).toEqual({
    prompt: image.prompt,
    negative_prompt: "rain",
  });
});

test("a duration is written as the model reads it", () => {
  const written = (duration?: string) => {
    const parameters = duration === undefined ? {} : { duration };
    const job = jobWith({ kind: "video", durationSeconds: 8, parameters });
    return modelInput(job, { duration: "length" });
  };
  expect(written()).toEqual({ length: 8 });
  expect(written("string")).toEqual({ length: "8" });
  expect(written("seconds")).toEqual({ length: "8s" });
});
