/** The samples of the guides for those who come from another service, with its package before and ours after. */
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import { hasPython, PYTHON, PYTHON_ENV } from "../../clients/python/python.ts";
import { useGuides } from "./guide-samples.ts";

const { service, folder, env, samplesOf, outputOf, runAll } = useGuides();

/** What the samples that show the code of others call, in place of its upstreams. */
const OTHERS = `
const answers = [
  [/image-model/, { id: "1", status: "succeeded", output: ["https://example.com/boat.png"], urls: {} }],
  [/api\\.replicate\\.com/, { id: "1", status: "succeeded", output: "https://example.com/boat.mp4", urls: {} }],
  [/api\\.openai\\.com/, { id: "video_1", object: "video" }],
  [/\\/status/, { status: "COMPLETED" }],
  [/queue\\.fal\\.run.*\\/requests\\//, { video: { url: "https://example.com/boat.mp4" }, images: [{ url: "https://example.com/boat.png" }] }],
  [/queue\\.fal\\.run/, { request_id: "1", status: "IN_QUEUE" }],
];
globalThis.fetch = async (request) => {
  const url = request.url ?? String(request);
  return Response.json(answers.find(([known]) => known.test(url))[1]);
};`;

beforeAll(() => writeFile(join(folder, "others.mjs"), OTHERS));

const hasOpenai =
  hasPython &&
  spawnSync(PYTHON, ["-c", "import openai"], { env: { ...process.env, ...PYTHON_ENV } }).status ===
    0;

describe("the samples of the guides", () => {
  it.skipIf(!hasOpenai)(
    "of OpenAI's client for Python make a video (needs its package)",
    async () => {
      const samples = (await samplesOf("openai")).filter(({ language }) => language === "python");
      const [made = "", ...waited] = (await runAll(samples)).map(({ output }) => output);
      expect(made).toMatch(/^vgen_\w+\n$/);
      expect(waited).toEqual([`completed ${made}`]);
    },
  );

  it.each(["openai", "replicate", "fal"])(
    "of the guide for those who come from %s work before, with the other's package, and after",
    async (guide) => {
      const options = ["--import", join(folder, "others.mjs")];
      Object.assign(env, { REPLICATE_API_TOKEN: "r8_example", FAL_KEY: "example" });
      Object.assign(env, { OPENAI_API_KEY: "sk-example" });
      const samples = await samplesOf(guide);
      const outputs = [];
      for (const sample of samples.filter(({ language }) => language === "ts")) {
        const isTheirs = sample.heading === "Before";
        outputs.push([sample.heading, await outputOf(sample, isTheirs ? options : [])]);
      }
      const [[, made = ""] = [], [, image = ""] = []] = outputs.filter(([of]) => of === "After");
      const ofImages = [
        ["Before", expect.stringMatching(/^https:.*\.png\n$/)],
        ["After", expect.stringMatching(/^http:.*\.png\n$/)],
      ];
      expect(outputs).toEqual([
        ["Before", expect.stringMatching(/^(https:.*\.mp4|video_1)\n$/)],
        ["After", expect.stringMatching(/^(http:.*\.mp4|vgen_\w+)\n$/)],
        ...(guide === "openai" ? [["Wait for the video", `completed ${made}`]] : ofImages),
      ]);
      // Their Idempotency-Keys make further runs the same, charged once; so does Python's client, with the same fields.
      const ours = samples.filter(({ heading, source }) => {
        return heading === "After" && !source.includes("import OpenAI\n");
      });
      const [again, ...more] = (await runAll(ours)).map(({ output }) => output);
      expect(again).toBe(made);
      const inPython = hasPython && guide !== "openai" ? [made] : [];
      const ofImage = guide === "openai" ? [] : [image];
      expect(more).toEqual([...inPython, ...ofImage, ...(hasPython ? ofImage : [])]);
    },
  );

  it("name only functions that OpenAI's package for Node has", async () => {
    const guide = await (await fetch(`${service.url}/docs/guides/openai.md`)).text();
    const named = [...guide.matchAll(/(?:`|client\.)(videos|images|models)\.(\w+)/g)].filter(
      // Those with underscores are Python's.
      ([name]) => !name.includes("_"),
    );
    expect(named.length).toBeGreaterThan(8);
    const client = new OpenAI({ apiKey: "sk-example" });
    for (const [name, resource, method = ""] of named)
      expect([name, typeof Reflect.get(client[resource as "videos"], method)]).toEqual([
        name,
        "function",
      ]);
  });
});
