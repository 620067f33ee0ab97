/** What the errors of the provider say of the request and of its answer. */
import {
  type APICallError,
  experimental_generateVideo as generateVideo,
  experimental_startVideo as startVideo,
  generateImage,
} from "ai";
import { beforeAll, expect, it } from "vitest";
import {
  createMediaGeneration,
  type MediaGenerationProvider,
} from "../../../clients/ai-sdk/index.ts";
import { newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";

let base: string;
let media: MediaGenerationProvider;

beforeAll(async () => {
  const service = await sharedService();
  base = `${service.url}/v1`;
  const apiKey = await (await newCustomer(service)).key("test");
  media = createMediaGeneration({ apiKey, baseURL: service.url });
});

const errorOf = async (call: Promise<unknown>): Promise<APICallError> =>
  (await call.catch((error: unknown) => error)) as APICallError;
const bodyOf = ({ responseBody = "" }: APICallError) => JSON.parse(responseBody) as unknown;
const providerOptions = { mediaGeneration: { metadata: { simulate: "fail:content_rejected" } } };

it("have the whole URL of the request and the body of the answer, where the service refuses it", async () => {
  const video = { model: media.video("alpha-2.0"), prompt: "a boat", duration: 7 };
  const refused = await errorOf(startVideo(video));
  expect(refused.url).toBe(`${base}/videos/generations`);
  expect(bodyOf(refused)).toMatchObject({ error: { code: "unsupported_duration" } });
  const image = { model: media.image("delta-9"), prompt: "a boat", aspectRatio: "1:1" } as const;
  const unknown = await errorOf(generateImage(image));
  expect(unknown.url).toBe(`${base}/models/delta-9`);
  expect(bodyOf(unknown)).toMatchObject({ error: { code: "model_not_found" } });
});

it("have those of the generation that failed", async () => {
  const poll = { intervalMs: 100 };
  const prompt = "a boat";
  const video = { model: media.video("alpha-2.0"), prompt, providerOptions, poll };
  const image = { model: media.image("gamma-image-3.0-pro"), prompt, providerOptions };
  const failed = [errorOf(generateVideo(video)), errorOf(generateImage(image))];
  for (const error of await Promise.all(failed)) {
    const { details } = error.data as { details: { generation_id: string } };
    const { generation_id: id } = details;
    const kind = id.startsWith("v") ? "videos" : "images";
    expect(error.url).toBe(`${base}/${kind}/generations/${id}`);
    expect(bodyOf(error)).toMatchObject({ id, status: "failed" });
  }
});
