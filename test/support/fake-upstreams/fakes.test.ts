/** The fakes refuse what their vendors refuse, accept what they accept, and answer in the form that was asked for. */
import { describe, expect, test } from "vitest";
import { manualClock } from "../manual-clock.ts";
import { arkImageFault, arkVideoFault } from "./ark-models.ts";
import { startArk } from "./ark.ts";
import { dashscopeImageFault, dashscopeVideoFault } from "./dashscope-models.ts";
import { startDashscope } from "./dashscope.ts";
import { falInputFault } from "./fal-models.ts";
import { RESULT, type FakeUpstream } from "./fake-upstream.ts";
import type { FieldFault } from "./fields.ts";
import { openaiImageFault, openaiJsonEditFault, openaiVideoFault } from "./openai-models.ts";
import { startReplicateFake } from "./replicate.ts";

type Case = [what: string, body: object, fault?: FieldFault["field"]];

const URL_ = "https://files.test/a.png";
const text = { type: "text", text: "a cat" };
const framed = (role?: string) => ({
  type: "image_url",
  image_url: { url: URL_ },
  ...(role === undefined ? {} : { role }),
});
const seedance = { model: "dreamina-seedance-2-0-260128", content: [text] };
const seedance25 = { ...seedance, model: "dreamina-seedance-2-5-260628" };
const seedreamPro = { model: "dola-seedream-5-0-pro-260628", prompt: "a cat" };
const wan3 = { model: "wan3.0-video", input: { prompt: "a cat" }, parameters: {} };
const frame = (type: string) => ({ prompt: "a cat", media: [{ type, url: URL_ }] });
const qwen = (...content: object[]) => ({
  model: "qwen-image-3.0",
  input: { messages: [{ role: "user", content }] },
});
const gpt = { model: "gpt-image-2", prompt: "a cat" };
const sora = { model: "sora-2", prompt: "a cat" };

const CASES: Record<string, [check: (body: object) => FieldFault | undefined, cases: Case[]]> = {
  "Ark videos": [
    arkVideoFault,
    [
      ["a text alone: resolution, ratio and duration have defaults", seedance],
      ["an adaptive ratio", { ...seedance, ratio: "adaptive" }],
      ["one picture without a role", { ...seedance, content: [text, framed()] }],
      [
        "a fixed ratio beside a first frame",
        { ...seedance, content: [text, framed("first_frame")], ratio: "16:9" },
      ],
      [
        "the same of 2.5",
        { ...seedance25, content: [text, framed("first_frame")], ratio: "16:9" },
        "ratio",
      ],
      ["no content", { model: seedance.model }, "content"],
      ["a duration as a text", { ...seedance, duration: "5" }, "duration"],
      ["a duration that is too long", { ...seedance, duration: 16 }, "duration"],
      [
        "4k of the fast model",
        { ...seedance, model: "dreamina-seedance-2-0-fast-260128", resolution: "4k" },
        "resolution",
      ],
      ["a camera, which 2.0 does not know", { ...seedance, camera_fixed: true }, "camera_fixed"],
      [
        "a frame and a reference",
        { ...seedance, content: [text, framed("first_frame"), framed("reference_image")] },
        "content.role",
      ],
      ["a field of nobody", { ...seedance, negative_prompt: "rain" }, "negative_prompt"],
      [
        "a model that does not exist",
        { ...seedance, model: "dreamina-seedance-2-0-mini-260128" },
        "model",
      ],
    ],
  ],
  "Ark images": [
    arkImageFault,
    [
      ["a size by its name", { ...seedreamPro, size: "2K" }],
      ["a size in pixels", { ...seedreamPro, size: "1280x720" }],
      ["no size", seedreamPro],
      ["too few pixels", { ...seedreamPro, size: "640x480" }, "size"],
      [
        "groups, of which Pro knows nothing",
        { ...seedreamPro, sequential_image_generation: "disabled" },
        "sequential_image_generation",
      ],
      [
        "the same of 4.5",
        { ...seedreamPro, model: "seedream-4-5-251128", sequential_image_generation: "disabled" },
      ],
      ["no prompt", { model: seedreamPro.model }, "prompt"],
    ],
  ],
  "DashScope videos": [
    dashscopeVideoFault,
    [
      [
        "a first frame with a ratio, of wan3.0",
        { ...wan3, input: frame("first_frame"), parameters: { ratio: "9:16" } },
      ],
      [
        "the same of wan2.7",
        {
          ...wan3,
          model: "wan2.7-i2v",
          input: frame("first_frame"),
          parameters: { ratio: "9:16" },
        },
        "ratio",
      ],
      [
        "a negative prompt, which wan3.0 does not read",
        { ...wan3, input: { prompt: "a cat", negative_prompt: "rain" } },
        "negative_prompt",
      ],
      ["a size, of wan3.0", { ...wan3, parameters: { size: "1280*720" } }, "size"],
      [
        "a resolution, of wan2.6",
        { ...wan3, model: "wan2.6-t2v", parameters: { resolution: "720P" } },
        "resolution",
      ],
      ["no prompt", { ...wan3, input: {} }, "prompt"],
      ["a duration as a text", { ...wan3, parameters: { duration: "5" } }, "duration"],
    ],
  ],
  "DashScope images": [
    dashscopeImageFault,
    [
      ["a text and a picture", qwen({ text: "a cat" }, { image: URL_ })],
      ["no text", qwen({ image: URL_ }), "messages"],
      ["two texts", qwen({ text: "a cat" }, { text: "a dog" }), "messages"],
      [
        "an x in its size",
        { ...qwen({ text: "a cat" }), parameters: { size: "1024x1024" } },
        "size",
      ],
    ],
  ],
  "OpenAI images": [
    openaiImageFault,
    [
      ["any size of 16ths", { ...gpt, size: "1152x864" }],
      ["a size of other pixels", { ...gpt, size: "1000x1000" }, "size"],
      ["a response format", { ...gpt, response_format: "url" }, "response_format"],
      ["no prompt", { model: gpt.model }, "prompt"],
      ["the models of others", { ...gpt, model: "dall-e-3" }, "model"],
    ],
  ],
  "OpenAI edits in JSON": [
    openaiJsonEditFault,
    [
      ["one of three sizes", { ...gpt, images: [{ image_url: URL_ }], size: "1536x1024" }],
      ["another size", { ...gpt, images: [{ image_url: URL_ }], size: "1152x864" }, "size"],
      ["no picture", gpt, "images"],
    ],
  ],
  "OpenAI videos": [
    openaiVideoFault,
    [
      ["its seconds as a text", { ...sora, seconds: "8" }],
      ["its seconds as a number", { ...sora, seconds: 8 }, "seconds"],
      ["5 seconds", { ...sora, seconds: "5" }, "seconds"],
    ],
  ],
  "fal's Kling v3": [
    (input) => falInputFault("fal-ai/kling-video/v3/standard/text-to-video", input),
    [
      ["its duration as a text", { prompt: "a cat", duration: "5", aspect_ratio: "16:9" }],
      ["its duration as a number", { prompt: "a cat", duration: 5 }, "duration"],
      ["a seed", { prompt: "a cat", seed: 1 }, "seed"],
      ["no prompt", {}, "prompt"],
    ],
  ],
  "fal's Veo 3.1": [
    (input) => falInputFault("fal-ai/veo3.1", input),
    [
      ["its duration with a unit", { prompt: "a cat", duration: "8s" }],
      ["another duration", { prompt: "a cat", duration: "5s" }, "duration"],
    ],
  ],
};

describe.each(Object.entries(CASES))("%s", (_vendor, [faultOf, cases]) => {
  test.each(cases)("%s", (_what, body, field) => {
    expect(faultOf(body)?.field).toBe(field);
  });
});

const ask = async (fake: FakeUpstream, path: string, body?: object, headers: object = {}) => {
  const answer = await fetch(`${fake.baseUrl}${path}`, {
    method: body ? "POST" : "GET",
    headers: {
      authorization: `Bearer ${fake.key}`,
      "content-type": "application/json",
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, json: (await answer.json()) as never };
};

test("a refusal is in the vendor's shape and names the field; nothing is recorded", async () => {
  await using fake = await startArk(manualClock());
  const { status, json } = await ask(fake, "/contents/generations/tasks", {
    ...seedance,
    duration: "5",
  });
  expect(status).toBe(400);
  expect(json).toMatchObject({ error: { code: "InvalidParameter", param: "duration" } });
  expect(fake.jobs).toEqual([]);
});

test("an image of Ark is base64 where that was asked for", async () => {
  await using fake = await startArk(manualClock());
  const body = { ...seedreamPro, response_format: "b64_json" };
  const { json } = await ask(fake, "/images/generations", body);
  expect(json).toMatchObject({ data: [{ b64_json: RESULT.toString("base64") }] });
});

test("some models of DashScope make four pictures unless they are asked for one", async () => {
  await using fake = await startDashscope(manualClock());
  const path = "/api/v1/services/aigc/multimodal-generation/generation";
  const body = { ...qwen({ text: "a cat" }), model: "wan2.6-image" };
  const pictures = async (parameters: object) => {
    const { json } = await ask(fake, path, { ...body, parameters });
    const { output } = json as { output: { choices: { message: { content: [] } }[] } };
    return output.choices[0]?.message.content.length;
  };
  expect([await pictures({}), await pictures({ n: 1 })]).toEqual([4, 1]);
});

test("Replicate tells a prediction's callback, and refuses inputs that its model does not have", async () => {
  await using fake = await startReplicateFake(manualClock());
  const path = "/models/bytedance/seedance-2.0/predictions";
  const webhook = "https://api.test/callbacks/a";
  const made = await ask(fake, path, { input: { prompt: "a cat" }, webhook });
  expect(made).toMatchObject({ status: 201, json: { webhook, model: "bytedance/seedance-2.0" } });
  const extra = await ask(fake, path, { input: { prompt: "a cat", enhance: true } });
  const detail = expect.stringContaining("Additional property enhance") as string;
  expect(extra).toMatchObject({ status: 422, json: { detail } });
});
