/** The samples of the guides for those who come from another service, with its package before and ours after. */
import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import { hasPython, PYTHON, PYTHON_ENV } from "../../clients/python/python.ts";
import { useGuides } from "./guide-samples.ts";

const { service, folder, env, samplesOf, outputsInNode, runAll } = useGuides();

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

  it("for those who come from another service work before, with its package, and after", async () => {
    Object.assign(env, { REPLICATE_API_TOKEN: "r8_example", FAL_KEY: "example" });
    Object.assign(env, { OPENAI_API_KEY: "sk-example" });
    const guides = ["openai", "replicate", "fal"];
    const all = await Promise.all(
      guides.map(async (guide) => (await samplesOf(guide)).map((sample) => ({ ...sample, guide }))),
    );
    const inNode = all.flat().filter(({ language }) => language === "ts");
    const run = async (isTheirs: boolean, options: string[] = []) => {
      const samples = inNode.filter(({ heading }) => (heading === "Before") === isTheirs);
      const sources = samples.map(({ source }) => source);
      const outputs = await outputsInNode(sources, options);
      return samples.map(({ guide, heading }, at) => [guide, heading, outputs[at]]);
    };
    const says = (guide: string, heading: string, output: RegExp | string) => [
      guide,
      heading,
      expect.stringMatching(output),
    ];
    const files = (heading: string, scheme: string) =>
      ["replicate", "fal"].flatMap((guide) =>
        ["mp4", "png"].map((end) => says(guide, heading, new RegExp(`^${scheme}:.*\\.${end}\n$`))),
      );
    expect(await run(true, ["--import", join(folder, "others.mjs")])).toEqual([
      says("openai", "Before", "video_1\n"),
      ...files("Before", "https"),
    ]);
    const ours = await run(false);
    expect(ours).toEqual([
      says("openai", "After", /^vgen_\w+\n$/),
      says("openai", "Wait for the video", `completed ${ours[0]?.[2]}`),
      ...files("After", "http"),
    ]);
  });

  it("name only functions that OpenAI's package for Node has", async () => {
    const guide = await (await fetch(`${service.url}/docs/guides/openai.md`)).text();
    // Those with underscores are Python's.
    const named = [...guide.matchAll(/(?:`|client\.)(videos|images|models)\.([a-zA-Z]+)\b/g)];
    expect(named.length).toBeGreaterThan(8);
    const client = new OpenAI({ apiKey: "sk-example" });
    for (const [name, resource, method = ""] of named) {
      const type = typeof Reflect.get(client[resource as "videos"], method);
      expect([name, type]).toEqual([name, "function"]);
    }
  });
});
