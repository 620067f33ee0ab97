/** The command line's parts: settings, what a terminal shows, requests of options, and prices shown before. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { commandLine } from "../../../clients/typescript/cli/commands.ts";
import { requestFor } from "../../../clients/typescript/cli/create.ts";
import { standOf } from "../../../clients/typescript/cli/display.ts";
import { apiKeyOf, baseUrlOf, programOf } from "../../../clients/typescript/cli/environment.ts";
import { kindOf } from "../../../clients/typescript/cli/errors.ts";
import { getCommand, type Run } from "../../../clients/typescript/cli/run.ts";
import { packageUrl } from "../../../clients/typescript/http/settings.ts";
import {
  ApiError,
  quoteTokens,
  TimeoutError,
  type Delivery,
  type Model,
} from "../../../clients/typescript/index.ts";
import { inMoney } from "../../../clients/typescript/money.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it.each([
  ["timeout", new TimeoutError("no answer within 30 s")],
  [
    "generation_timeout",
    new ApiError(
      { status: 504, headers: new Headers() },
      { error: { type: "generation_error", code: "generation_timeout", message: "Not yet." } },
    ),
  ],
])("%s, after which it may still end, is not a failure: it exits with 3", (code, error) => {
  expect(kindOf(error)).toEqual({ code, exit: 3 });
});

it("the help of every command has an example as the user types it, and no value that models refuse", () => {
  const program = commandLine(() => async () => {}, "npx media-generation");
  expect(program.commands).toHaveLength(11);
  for (const command of program.commands) {
    let help = "";
    const write = (text: string) => (help += text);
    command.configureOutput({ writeOut: write }).outputHelp();
    expect(help).toMatch(new RegExp(`^Examples?:\n  npx media-generation ${command.name()}`, "m"));
    expect(help).toContain("--json");
    expect(help).not.toContain("1080P");
  }
});

it.each([
  ["pending", [], ["pending", "0", ""]],
  ["pending", [{ error: "dns_error" }], ["failing", "1", "no answer: dns_error"]],
  ["pending", [{ status_code: 204 }], ["pending", "1", "204"]],
  ["exhausted", [{ error: "timeout" }, { status_code: 503 }], ["exhausted", "2", "503"]],
] as const)("a delivery that is %s after %j is listed as %j", (status, attempts, cells) => {
  expect(standOf({ status, attempts } as unknown as Delivery)).toEqual(cells);
});

it("the API key is by default that of the demo account", async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, "demo"));
  await writeFile(join(folder.path, "demo", "test-key"), "mgs_test_demo\n");
  const env = { DATA_DIR: folder.path };
  const url = "https://a.example.com/v1";
  expect(apiKeyOf(env, url)).toBe("mgs_test_demo");
  expect(apiKeyOf({ ...env, MEDIA_API_KEY: "mgs_test_own" }, url)).toBe("mgs_test_own");
  expect(() => apiKeyOf({ DATA_DIR: "/nowhere" }, url)).toThrow(
    "https://a.example.com/dashboard/go/settings/keys",
  );
});

describe("the service's URL", () => {
  const none = { DATA_DIR: "/nowhere" };

  it("is taken from the option, else the environment, else the port", () => {
    const env = { ...none, MEDIA_BASE_URL: "https://b.example.com/v1", PORT: "9" };
    expect(baseUrlOf({ baseUrl: "https://a.example.com" }, env)).toBe("https://a.example.com");
    expect(baseUrlOf({}, env)).toBe("https://b.example.com/v1");
    expect(baseUrlOf({}, { ...none, PORT: "9" })).toBe("http://localhost:9/v1");
    expect(baseUrlOf({}, none)).toBe("http://localhost:8080/v1");
  });

  it("is that of the service from which npm has the package, and of no registry", async () => {
    await using folder = await temporaryFolder();
    const from = async (resolved: string) => {
      const lock = { packages: { "node_modules/media-generation-client": { resolved } } };
      await writeFile(join(folder.path, ".package-lock.json"), JSON.stringify(lock));
      const module = join(folder.path, "media-generation-client", "dist", "cli.js");
      return packageUrl(pathToFileURL(module).href);
    };
    const path = "docs/packages/media-generation-client-1.0.0.tgz";
    const url = await from(`https://m.example.com/${path}`);
    expect(baseUrlOf({}, none, url)).toBe("https://m.example.com/v1");
    expect(baseUrlOf({}, none, await from(`https://m.example.com/media/${path}`))).toBe(
      "https://m.example.com/media/v1",
    );
    const registry = await from("https://registry.npmjs.org/a/-/a-1.0.0.tgz");
    expect(baseUrlOf({}, none, registry)).toBe("http://localhost:8080/v1");
    expect(packageUrl("file:///nowhere/dist/cli.js")).toBeUndefined();
  });

  it("is that of npm start where it has run, unless another is given", async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, "demo"));
    await writeFile(join(folder.path, "demo", "url"), "http://localhost:22000/v1\n");
    const env = { DATA_DIR: folder.path };
    expect(baseUrlOf({}, env)).toBe("http://localhost:22000/v1");
    expect(baseUrlOf({}, { ...env, PORT: "9" })).toBe("http://localhost:9/v1");
  });
});

it("what the user types is said in hints, quoted for a shell", () => {
  const program = programOf({ npm_command: "exec" });
  const run = { program, baseUrl: "http://localhost:9/v1" } as Run;
  expect(getCommand(run, "vgen_1", "it's a cat.mp4")).toBe(
    String.raw`npx media-generation get vgen_1 --wait --output 'it'\''s a cat.mp4' --base-url http://localhost:9/v1`,
  );
  expect(programOf({})).toBe("media-generation");
});

it.each([
  [1_200, "0.01", "USD", "12.00 USD"],
  [0, "0.01", "USD", "0.00 USD"],
  [3, "0.335", "USD", "1.01 USD"],
  // More than a float holds exactly.
  [9_007_199_254_740_993n, "0.01", "EUR", "90,071,992,547,409.93 EUR"],
  [500, "1.5", "JPY", "750 JPY"],
  [1, "0.0125", "BHD", "0.013 BHD"],
  [123, "0.000123", "USD", "0.015 USD"],
])("%s Tokens at %s %s are %j", (tokens, amount, currency, text) => {
  expect(inMoney(tokens, { amount, currency })).toBe(text);
});

it("the command line whose output nobody reads ends without an error, as head and the like expect", async () => {
  const args = ["clients/typescript/cli/main.ts", "--help"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [said, [code]] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
  expect({ said, code: code as number }).toEqual({ said: "", code: 0 });
});

const video = {
  id: "alpha-2.0",
  kind: "video",
  durations: { min: 5, max: 15, step: 1, default: 5 },
  pricing: { unit: "second", unit_quantity: 5, tokens: 210 },
} as Model;
const image = {
  id: "gamma",
  kind: "image",
  default_size: "1024x1024",
  parameters: { n: { max: 4 }, output_format: { values: ["png", "webp"] } } as Model["parameters"],
  pricing: {
    tokens: 42,
    tiers: [
      { tier: "1K", sizes: ["1024x1024"], tokens: 42 },
      { tier: "2K", sizes: ["2048x2048"], tokens: 84 },
    ],
    tokens_per_reference_image: 21,
  },
} as Model;

const surcharges = [
  { parameter: "resolution", value: "1080P", tokens: 100 },
  { parameter: "audio", tokens: 7 },
];
const priced = { ...video, pricing: { ...video.pricing, surcharges } } as Model;
const inSteps = { ...video, durations: { min: 5, max: 15, step: 5, default: 5 } };
const two = ["https://a", "https://b"];

it.each<[string, Model, object, number | undefined]>([
  ["a video of the default duration", video, {}, 210],
  ["a whole unit", video, { duration: 5 }, 210],
  ["the units that are started", video, { duration: 6 }, 420],
  ["an image of the default size", image, {}, 42],
  ["that size and references", image, { size: "2048x2048", image_urls: two }, 126],
  ["all images", image, { n: 3, output_format: "webp", image_urls: ["https://a"] }, 189],
  ["what is asked for above that", priced, { duration: 6, resolution: "1080P" }, 620],
  ["nothing that is not asked for", priced, { resolution: "720P", audio: false }, 217],
  ["nothing, without a price", { ...video, pricing: null }, {}, undefined],
  ["nothing, below the model's lengths", video, { duration: 4 }, undefined],
  ["nothing, above the model's lengths", video, { duration: 16 }, undefined],
  ["nothing, between the model's lengths", inSteps, { duration: 6 }, undefined],
  ["nothing, for another size", image, { size: "1x1" }, undefined],
  ["nothing, for a part of an image", image, { n: 1.5 }, undefined],
  ["nothing, for more images than the model makes", image, { n: 5 }, undefined],
  ["nothing, where it makes one", { ...image, parameters: {} }, { n: 2 }, undefined],
  ["nothing, for a format that it has not", image, { output_format: "jpeg" }, undefined],
])("the price shown before the create is that of %s", (_of, model, options, tokens) => {
  expect(quoteTokens(model, { model: model.id, prompt: "a cat", ...options })).toBe(tokens);
});

/** The arguments that commander gives to the command of that line. */
function argumentsOf(line: string, ...more: string[]): unknown[] {
  let given: unknown[] = [];
  const program = commandLine(
    () =>
      async (...args) =>
        void (given = args),
  );
  program.parse([...line.split(" "), ...more], { from: "user" });
  return given;
}

it.each<[string, object]>([
  [
    "video --model v --metadata order=1 --image https://a --no-audio --last-image https://b",
    { metadata: { order: "1" }, image_url: "https://a", audio: false, last_image_url: "https://b" },
  ],
  ["video --model v --aspect-ratio 1:1 --seed 7", { aspect_ratio: "1:1", seed: 7 }],
  [
    "image --model v --image https://a --n 2 --seed 0 --no-prompt-extend",
    { n: 2, seed: 0, image_urls: ["https://a"], prompt_extend: false },
  ],
])("the request of %s has the options under the names of the API", (line, fields) => {
  const given = argumentsOf(line, "a cat") as Parameters<typeof requestFor>;
  expect(requestFor(...given)).toEqual({ model: "v", prompt: "a cat", ...fields });
});
