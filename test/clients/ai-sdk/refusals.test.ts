/** What the provider refuses before a call. */
import { generateImage } from "ai";
import { createMediaGeneration } from "../../../clients/ai-sdk/index.ts";
import { newCustomer } from "../../support/customer.ts";
import { forTests } from "../../support/for-tests.ts";
import { sharedService } from "../../support/shared-service.ts";

const VIDEO = "alpha-2.0-fast";
const IMAGE = "gamma-image-3.0-pro";
const BYTES = new Uint8Array([1]);
const MASKED = { text: "a boat", images: [BYTES], mask: BYTES };

const service = forTests(sharedService);
const media = forTests(async () => {
  const apiKey = await (await newCustomer(service)).key("live");
  return createMediaGeneration({ apiKey, baseURL: service.url });
});

it.each([
  ["a shape that no size has", IMAGE, { aspectRatio: "7:1" }, "It makes 1:1, 16:9, 9:16, "],
  ["a mask that the model does not take", IMAGE, { prompt: MASKED }, `${IMAGE} takes no mask.`],
  ["a model of the other kind", VIDEO, {}, "Give it to video(…) of the provider."],
] as const)("the provider refuses %s, and says what to give", async (_what, model, more, says) => {
  const wrong = generateImage({ model: media.image(model), prompt: "a boat", ...more });
  await expect(wrong).rejects.toThrow(says);
});
