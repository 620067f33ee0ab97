/** Models that need no code: a catalog and an upstreams file add them, and each makes its result. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { randomId } from "#runtime/id.ts";
import { openCatalog } from "../../../services/generation/catalog/catalog.ts";
import { createUpstreams } from "../../../services/generation/upstreams/upstreams.ts";
import { startArk } from "../../support/fake-upstreams/ark.ts";
import type { FakeUpstream } from "../../support/fake-upstreams/fake-upstream.ts";
import { startFalFake } from "../../support/fake-upstreams/fal.ts";
import { startOpenaiFake } from "../../support/fake-upstreams/openai.ts";
import { generationHarness, type Harness } from "../../support/generation-harness.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { upstreamsOfFile } from "../upstreams/upstreams-of-file.ts";

const PICTURE = "https://pictures.test/a.png";
const SIZES = ["1024x1024", "2048x1152"];
const video = (id: string, fields: object) => ({
  id,
  kind: "KIND_VIDEO",
  availability: "AVAILABILITY_AVAILABLE",
  inputs: ["text"],
  required_inputs: ["text"],
  resolution: "720P",
  durations: { min: 3, max: 15, step: 1, default: 5 },
  aspect_ratios: ["16:9", "9:16"],
  default_aspect_ratio: "16:9",
  pricing: { unit: "second", unit_quantity: 1, tokens: 10 },
  ...fields,
});
const image = (id: string) => ({
  id,
  kind: "KIND_IMAGE",
  availability: "AVAILABILITY_AVAILABLE",
  inputs: ["text", "image"],
  required_inputs: ["text"],
  sizes: SIZES,
  default_size: SIZES[0],
  max_reference_images: 3,
  pricing: {
    unit: "image",
    unit_quantity: 1,
    tokens: 10,
    tiers: [{ tier: "2K", sizes: SIZES, tokens: 10 }],
    tokens_per_reference_image: 5,
  },
});
const CATALOG = {
  resolutions: { "720P": { frames: { "16:9": "1280x720", "9:16": "720x1280" } } },
  models: [
    video("kling-3-text", {}),
    video("kling-3-image", {
      inputs: ["text", "image"],
      required_inputs: ["text", "image"],
      max_reference_images: 1,
    }),
    video("veo-3.1", { durations: { min: 4, max: 8, step: 2, default: 8 } }),
    image("seedream-5-pro"),
    image("gpt-image-2.6"),
  ],
};

let h: Harness;
let fal: FakeUpstream;
let ark: FakeUpstream;
let openai: FakeUpstream;
let accountId: string;
const stack = new AsyncDisposableStack();

beforeAll(async () => {
  h = stack.use(await generationHarness());
  fal = stack.use(await startFalFake());
  ark = stack.use(await startArk(h.clock));
  openai = stack.use(await startOpenaiFake());
  const { path: folder } = stack.use(await temporaryFolder());
  const catalogPath = join(folder, "models.json");
  writeFileSync(catalogPath, JSON.stringify(CATALOG));
  const through = (provider: string, { baseUrl }: FakeUpstream, fields: object) => ({
    provider,
    credential: provider,
    base_url: baseUrl,
    ...fields,
  });
  const kling = "fal-ai/kling-video/v3/standard";
  const file = {
    credentials: { fal: {}, ark: {}, openai: {} },
    models: {
      "kling-3-text": [
        through("fal", fal, {
          name: "kling-3-text-fal",
          model: `${kling}/text-to-video`,
          parameters: { duration: "string" },
        }),
      ],
      "kling-3-image": [
        through("fal", fal, {
          name: "kling-3-image-fal",
          model: `${kling}/image-to-video`,
          parameters: {
            duration: "string",
            names: { image: "start_image_url", aspect_ratio: null },
          },
        }),
      ],
      "veo-3.1": [
        through("fal", fal, {
          name: "veo-3.1-fal",
          model: "fal-ai/veo3.1",
          parameters: { duration: "seconds", input: { resolution: "720p" } },
        }),
      ],
      "seedream-5-pro": [
        through("ark", ark, { name: "seedream-5-pro-ark", model: "dola-seedream-5-0-pro-260628" }),
      ],
      "gpt-image-2.6": [
        through("openai", openai, { name: "gpt-image-2.6-openai", model: "gpt-image-2.6" }),
      ],
    },
  };
  h.deps.catalog = stack.use(openCatalog(catalogPath, h.deps));
  const keys = { fal: fal.key, ark: ark.key, openai: openai.key };
  const configured = stack.use(upstreamsOfFile(h, folder, file, keys));
  h.deps.upstreams = createUpstreams(h.provider, "none", configured);
  h.deps.configuredUpstreams = configured;
  accountId = await h.account(10_000n);
});
afterAll(() => stack.disposeAsync());

async function made(model: string, kind: Kind, input: object, finish: () => void = () => {}) {
  const generationId = randomId(kind === Kind.VIDEO ? "vgen" : "igen");
  const request = { accountId, mode: Mode.LIVE, generationId, model };
  await (kind === Kind.VIDEO
    ? h.client.createVideo({ ...request, input: { prompt: "a cat", ...input } })
    : h.client.createImage({ ...request, input: { prompt: "a cat", ...input }, waitSeconds: 0 }));
  await h.drain();
  finish();
  h.clock.advance(15_000);
  await h.drain();
  const { generation } = await h.client.getGeneration({ ...request, kind });
  return generation?.status;
}

const finishAtFal = () => {
  const job = fal.jobs.at(-1);
  if (job?.state.status === "IN_QUEUE") job.state = { status: "COMPLETED" };
};

test.each([
  ["kling-3-text", { negativePrompt: "rain" }, { duration: "5", negative_prompt: "rain" }],
  ["kling-3-image", { imageUrl: PICTURE }, { duration: "5", start_image_url: PICTURE }],
  ["veo-3.1", { duration: 6 }, { duration: "6s", resolution: "720p", aspect_ratio: "16:9" }],
])("%s makes a video through fal", async (model, input, sent) => {
  expect(await made(model, Kind.VIDEO, input, finishAtFal)).toBe(Status.SUCCESS);
  expect(fal.jobs.at(-1)?.request.json).toMatchObject({ prompt: "a cat", ...sent });
});

test.each(SIZES)("Seedream 5.0 Pro and gpt-image-2.6 make an image of %s", async (size) => {
  for (const model of ["seedream-5-pro", "gpt-image-2.6"]) {
    expect([model, await made(model, Kind.IMAGE, { size })]).toEqual([model, Status.SUCCESS]);
  }
  expect(ark.requests.at(-1)?.json).toMatchObject({ model: "dola-seedream-5-0-pro-260628", size });
  expect(openai.requests.at(-1)?.json).toMatchObject({ model: "gpt-image-2.6", size });
});

test("both edit pictures", async () => {
  for (const model of ["seedream-5-pro", "gpt-image-2.6"]) {
    const end = await made(model, Kind.IMAGE, { imageUrls: [PICTURE] });
    expect([model, end]).toEqual([model, Status.SUCCESS]);
  }
  expect(ark.requests.at(-1)?.json).toMatchObject({ image: PICTURE });
  expect(openai.requests.at(-1)).toMatchObject({ path: "/images/edits" });
});
