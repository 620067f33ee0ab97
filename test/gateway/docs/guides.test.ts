/** The samples of the guides, run as they are on the page, before the whole service. */
import { execFile, spawnSync } from "node:child_process";
import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import OpenAI from "openai";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { firstCalls } from "../../../services/standalone/first-calls.ts";
import { freePort } from "../../../services/standalone/embedded/ports.ts";
import { hasPython, PYTHON, PYTHON_ENV } from "../../clients/python/python.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import { modern } from "../edge/mcp/clients.ts";
import { startProgram, type Running } from "../../support/process.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type Sample = { language: string; heading: string; source: string };

const stack = new AsyncDisposableStack();
let service: SharedService;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  service = await sharedService();
  folder = stack.use(await temporaryFolder()).path;
  const customer = await newCustomer(service);
  const secret = await customer.webhookSecret("test");
  env = { MEDIA_API_KEY: await customer.key("test"), WEBHOOK_SECRET: secret, ...PYTHON_ENV };
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "garden.jpg"), makeImage("jpeg"));
  // What the samples that show the code of others call, in place of its upstreams.
  await writeFile(join(folder, "others.mjs"), OTHERS);
});
afterAll(() => stack.disposeAsync());

const OTHERS = `
const answers = [
  [/api\\.replicate\\.com/, { id: "1", status: "succeeded", output: "https://example.com/boat.mp4", urls: {} }],
  [/api\\.openai\\.com/, { id: "video_1", object: "video" }],
  [/\\/status/, { status: "COMPLETED" }],
  [/queue\\.fal\\.run.*\\/requests\\//, { video: { url: "https://example.com/boat.mp4" } }],
  [/queue\\.fal\\.run/, { request_id: "1", status: "IN_QUEUE" }],
];
globalThis.fetch = async (request) => {
  const url = request.url ?? String(request);
  return Response.json(answers.find(([known]) => known.test(url))[1]);
};`;

const SAMPLE = /^```(sh|ts|python)[^\n]*\n(.*?)^```/gms;

/** What says how to run a sample has a placeholder for each secret. */
const isRunNote = (source: string) => /^export \w+=\w+_…$/m.test(source);

/** The samples of a guide in order, with the heading or paragraph that they are below. */
async function samplesOf(guide: string): Promise<Sample[]> {
  const page = await fetch(`${service.url}/docs/guides/${guide}.md`);
  return samplesIn(await page.text());
}

function samplesIn(text: string): Sample[] {
  const found = [...text.matchAll(SAMPLE)].filter(([, , source = ""]) => !isRunNote(source));
  return found.map((match) => {
    const [, language = "", source = ""] = match;
    const before = text.slice(0, match.index).split("\n");
    const heading = before.findLast((line) => /^## |^(Before|After)\b.*:$/.test(line)) ?? "";
    return { language, heading: heading.replaceAll(/^## |[:,].*$/g, ""), source };
  });
}

const firstSentence = (text: string) => text.split(/(?<=\.) /)[0];

let count = 0;

/** The program and arguments that run the source; packages of this project are those of the checkout. */
async function commandOf({ language, source }: Sample): Promise<[string, string[]]> {
  if (language === "sh") return ["/bin/bash", ["-eo", "pipefail", "-c", `${SHELL}\n${source}`]];
  if (language === "python") return [PYTHON, ["-c", source]];
  const directory = join(folder, `sample-${(count += 1)}`);
  await mkdir(directory);
  const file = join(directory, "sample.ts");
  await writeFile(file, withOwnPackages(source));
  return [process.execPath, [file]];
}

const OWN_PACKAGES = {
  "media-generation-client": "clients/typescript/index.ts",
  "media-generation-ai-sdk": "clients/ai-sdk/index.ts",
};

function withOwnPackages(source: string): string {
  return Object.entries(OWN_PACKAGES).reduce(
    (text, [name, path]) => text.replaceAll(`"${name}"`, JSON.stringify(resolve(path))),
    source,
  );
}

const CLI = resolve("clients/typescript/cli/main.ts");

/** A refusal of the service fails the sample. The command line replaces the shell, so that a signal ends it. */
const SHELL = `curl() { command curl --fail-with-body "$@"; }
npx() { shift; exec "${process.execPath}" "${CLI}" "$@"; }`;

async function outputOf(sample: Sample, options: string[] = []): Promise<string> {
  const [program, args] = await commandOf(sample);
  const { stdout } = await promisify(execFile)(program, [...options, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  return stdout;
}

/** The samples that are run, by language; those of Python only where the machine has it. */
async function runAll(samples: Sample[]): Promise<{ language: string; output: string }[]> {
  const outputs = [];
  for (const sample of samples) {
    if (sample.language === "python" && !hasPython) continue;
    outputs.push({ language: sample.language, output: await outputOf(sample) });
  }
  return outputs;
}

const hasOpenai =
  hasPython &&
  spawnSync(PYTHON, ["-c", "import openai"], { env: { ...process.env, ...PYTHON_ENV } }).status ===
    0;

const balance = async () => clientOf(service.url, env["MEDIA_API_KEY"] ?? "").balance.retrieve();

describe("the samples of the guides", () => {
  it("of the quickstart make one video and one image in all languages, each charged once", async () => {
    const before = await balance();
    const samples = (await samplesOf("quickstart")).filter(({ source }) => !source.includes("_…"));
    expect(samples.map(({ language }) => language)).toEqual(
      ["sh", "ts", "python"].concat(["sh", "ts", "python"]),
    );
    const outputs = await runAll(samples);
    const urls = outputs.map(({ output }) => /"?(http[^"\s]+\.(?:mp4|png))/.exec(output)?.[1]);
    expect(urls).not.toContain(undefined);
    expect(new Set(urls).size).toBe(2);
    const after = await balance();
    expect(before.available - after.available).toBe(500 + 42);
  });

  it("of the first page makes a video, and the page leads to guides, models, clients and reference", async () => {
    const page = await (await fetch(`${service.url}/docs/index.md`)).text();
    const samples = samplesIn(page);
    expect((await runAll(samples)).map(({ output }) => output)).toEqual([
      expect.stringContaining('"status":"success"'),
    ]);
    const [opening = ""] = page.split("## How the API works");
    for (const path of ["guides/quickstart", "guides/client", "models", "reference/create-file"])
      expect(opening).toContain(`(/docs/${path}.md)`);
  });

  it("of README.md and of what npm start prints make a video and fetch it, pasted together", async () => {
    await mkdir(join(folder, ".data/demo"), { recursive: true });
    const keyFile = ".data/demo/test-key";
    await writeFile(join(folder, keyFile), env["MEDIA_API_KEY"] ?? "");
    const readme = await readFile("README.md", "utf8");
    const [sample] = samplesIn(readme.slice(readme.indexOf("## Make a video")));
    const ofReadme = (sample?.source ?? "").replaceAll("http://localhost:8080", service.url);
    for (const source of [ofReadme, firstCalls(service.url, keyFile)]) {
      await rm(join(folder, "cat.mp4"), { force: true });
      const output = await outputOf({ language: "sh", heading: "", source });
      expect(output).toContain('"status":"success"');
      expect((await readFile(join(folder, "cat.mp4"))).subarray(4, 8).toString()).toBe("ftyp");
    }
  });

  it("of README.md in TypeScript makes a video", async () => {
    const samples = samplesIn(await readFile("README.md", "utf8"));
    const [sample, ...more] = samples.filter(({ language }) => language === "ts");
    expect(more).toEqual([]);
    const source = (sample?.source ?? "").replaceAll("http://localhost:8080", service.url);
    expect(await outputOf({ language: "ts", heading: "", source })).toMatch(/^http\S+\.mp4\n$/);
  });

  it.each([
    ["streaming", "ts", /^success 100$/m],
    ["streaming", "sh", /"status":"success"/],
    ["lists", "ts", /^vgen_/m],
    ["lists", "sh", /"has_more":/],
    ["idempotency", "sh", /"status":"pending"/],
    ["test-mode", "sh", /"simulate":"fail:content_rejected"/],
    ["spending", "sh", /"object":"usage"/],
    ["files", "sh", /"url":/],
    ["errors", "sh", /"object":"list"/],
    ["client", "ts", /\.mp4$/m],
    ["api-keys", "sh", /"available":/],
    ["errors", "ts", /^content_rejected vgen_/],
    ["files", "ts", /^http\S+ vgen_/],
    ["idempotency", "ts", /^true true$/m],
    ["test-mode", "ts", /^content_rejected$/m],
    ["spending", "ts", /^\d+ \d+ \[/],
  ] as const)("of the guide %s in %s do what it says", async (guide, language, says) => {
    const all = await samplesOf(guide);
    const samples = all.filter(
      (one) => one.language === language && !one.source.includes("npx media-generation"),
    );
    expect(samples).toHaveLength(1);
    const [{ output } = { output: "" }] = await runAll(samples);
    expect(output).toMatch(says);
  });

  it("show Tokens as the service does, in all places", async () => {
    const columns = ["hang", "success", "fail:internal"].map(async (simulate) => {
      const client = clientOf(service.url, await (await newCustomer(service)).key("test"));
      const before = await client.balance.retrieve();
      const input = { model: "beta-3.0-video", prompt: "a boat", metadata: { simulate } } as const;
      const { id } = await client.videos.create(input);
      if (simulate !== "hang") await client.videos.wait(id).catch(() => {});
      const { credits } = await client.videos.retrieve(id);
      const { available, reserved } = await client.balance.retrieve();
      const [latest] = (await client.transactions.list()).data;
      const { total } = await client.usage.retrieve({ group_by: "day" });
      return [
        ["the generation", "`credits`", credits],
        ["`GET /balance`", "`available`, changed by", available - before.available],
        ["`GET /balance`", "`reserved`", reserved],
        ["`GET /transactions`, the latest", "`tokens`", `${latest?.tokens} (\`${latest?.type}\`)`],
        ["`GET /usage`", "`captured`", total.captured],
        ["`GET /usage`", "`reserved`", total.reserved],
        ["`GET /usage`", "`net`", total.net],
      ];
    });
    const [running = [], ...ended] = await Promise.all(columns);
    const rows = running.map((row, at) => [...row, ...ended.map((column) => column[at]?.at(-1))]);
    const guide = await (await fetch(`${service.url}/docs/guides/spending.md`)).text();
    expect(guide).toContain(rows.map((row) => `| ${row.join(" | ")} |`).join("\n"));
  });

  it("of the AI SDK make an image and a video of it, and catch the code of one that fails", async () => {
    const samples = await samplesOf("ai-sdk");
    const [made = "", caught = ""] = (await runAll(samples)).map(({ output }) => output);
    expect(samples).toHaveLength(2);
    expect(made).toMatch(/"url":"http[^"]+\.mp4"/);
    expect((await readFile(join(folder, "boat.mp4"))).subarray(4, 8).toString()).toBe("ftyp");
    expect(caught).toMatch(/^content_rejected vgen_\w+ failed: /);
  });

  it.skipIf(!hasPython).each([
    ["streaming", /^success 100$/m],
    ["lists", /^vgen_/m],
    ["client", /^$/],
    ["errors", /^content_rejected vgen_/],
    ["files", /^http\S+ vgen_/],
    ["idempotency", /^True$/m],
    ["test-mode", /^content_rejected$/m],
    ["spending", /^\d+ \d+ \[/],
  ] as const)("of the guide %s for Python do what it says (needs python3)", async (guide, says) => {
    const samples = (await samplesOf(guide)).filter(({ language }) => language === "python");
    expect(samples).toHaveLength(1);
    const [{ output } = { output: "" }] = await runAll(samples);
    expect(output).toMatch(says);
  });

  it("of the command line do what they say, line by line", async () => {
    const [block] = (await samplesOf("client")).filter(({ language }) => language === "sh");
    const [install, setUrl, ...commands] = (block?.source ?? "").trim().split("\n");
    expect(install).toMatch(/^npm install http\S+\/media-generation-client-\S+\.tgz$/);
    const sh = (source: string) => ({ language: "sh", heading: "", source });
    const run = (line: string) => outputOf(sh(`${setUrl}\n{ ${line.split("#")[0]}\n} 2>&1`));
    await writeFile(join(folder, "boat.png"), makeImage("png"));
    const receiver = stack.use(await startReceiver());
    const [video = "", picture = "", list = "", get = "", listen = ""] = commands;
    expect(commands).toHaveLength(5);
    expect(await run(video)).toMatch(/success 100 %\n/);
    expect((await readFile(join(folder, "boat.mp4"))).subarray(4, 8).toString()).toBe("ftyp");
    const sailing = await run(picture);
    expect(sailing).toMatch(/success 100 %\n/);
    const id = /vgen_\w+/.exec(sailing)?.[0] ?? "";
    expect(await run(list)).not.toContain(id);
    expect(await run(get.replace("vgen_…", id))).toContain(id);
    const forwarding = listen.replace("localhost:3000", new URL(receiver.url).host);
    const [program, args] = await commandOf(sh(`${setUrl}\n${forwarding}`));
    await using listening: Running = startProgram(program, args, env);
    await listening.says("Signing secret: whsec_");
    const client = clientOf(service.url, env["MEDIA_API_KEY"] ?? "");
    const made = await client.videos.create({ model: "beta-3.0-video", prompt: "a boat" });
    await listening.says(`completed  ${made.id}`);
    expect(String(receiver.received[0]?.body)).toContain(made.id);
  });

  it.skipIf(!hasOpenai)(
    "of OpenAI's client for Python make a video (needs its package)",
    async () => {
      const samples = (await samplesOf("openai")).filter(({ language }) => language === "python");
      const [made = "", ...waited] = (await runAll(samples)).map(({ output }) => output);
      expect(made).toMatch(/^vgen_\w+\n$/);
      expect(waited).toEqual([`completed ${made}`]);
    },
  );

  it("of MCP name the address and the key by which the tools are found, in each program", async () => {
    const key = env["MEDIA_API_KEY"] ?? "";
    const url = `${service.url}/mcp`;
    const [command] = await samplesOf("mcp");
    const arguments_ = 'claude() { printf "%s\\n" "$@"; }';
    const output = await outputOf({
      ...command,
      source: `${arguments_}\n${command?.source}`,
    } as Sample);
    const header = `Authorization: Bearer ${key}`;
    const named = ["mcp", "add", "--transport", "http", "media", url, "--header", header];
    expect(output.trim().split("\n")).toEqual(named);
    const page = await (await fetch(`${service.url}/docs/guides/mcp.md`)).text();
    const settings = [...page.matchAll(/^```json\n(.*?)^```/gms)].map(
      ([, json = ""]) => JSON.parse(json) as object,
    );
    const server = {
      url,
      headers: { Authorization: expect.stringMatching(/^Bearer \$\{.*\}$/) as string },
    };
    expect(settings).toEqual([
      { mcpServers: { media: server } },
      {
        inputs: [expect.objectContaining({ id: "media-key", password: true })],
        servers: { media: { type: "http", ...server } },
      },
    ]);
    await using client = await modern(url.replace(/\/mcp$/, ""), key);
    const tools = await client.tools();
    const rows = tools.map(
      ({ name, description = "" }) => `| \`${name}\` | ${firstSentence(description)} |`,
    );
    expect([...page.matchAll(/^\| `.*$/gm)].flat().toSorted()).toEqual(rows.toSorted());
  });

  it.each(["openai", "replicate", "fal"])(
    "of the guide for those who come from %s work before, with the other's package, and after",
    async (guide) => {
      const samples = (await samplesOf(guide)).filter(({ language }) => language === "ts");
      const [before, after, ...more] = samples;
      expect(samples.slice(0, 2).map(({ heading }) => heading)).toEqual(["Before", "After"]);
      expect(more.map(({ heading }) => heading)).toEqual(
        guide === "openai" ? ["Wait for the video"] : [],
      );
      const options = ["--import", join(folder, "others.mjs")];
      Object.assign(env, { REPLICATE_API_TOKEN: "r8_example", FAL_KEY: "example" });
      Object.assign(env, { OPENAI_API_KEY: "sk-example" });
      expect(await outputOf(before as Sample, options)).toMatch(/^(https:.*\.mp4|video_1)\n$/);
      const made = await outputOf(after as Sample);
      expect(made).toMatch(/^(http:.*\.mp4|vgen_\w+)\n$/);
      // Its Idempotency-Key makes the second run the same video, charged once.
      expect(await outputOf(after as Sample)).toBe(made);
      for (const { output } of await runAll(more)) expect(output).toBe(`completed ${made}`);
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

/** A Node server in front of a route handler, as Next.js is. */
const ROUTED = `
import { createServer } from "node:http";
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  const asked = new Request("http://localhost/webhooks", { method: "POST", headers, body: Buffer.concat(chunks) });
  const answer = await POST(asked);
  response.writeHead(answer.status).end();
}).listen(Number(process.env.PORT), () => console.log("Listening"));`;

const RECEIVERS = ["Express", "Fastify", "Next.js", "Python"];

describe("the receivers of webhooks", () => {
  it("are all that the guide has", async () => {
    const samples = await samplesOf("webhook-receivers");
    expect(samples.map(({ heading }) => heading)).toEqual(RECEIVERS);
  });

  it.each(RECEIVERS.filter((name) => name !== "Python" || hasPython))(
    "take the service's event by %s, drop its repetition, and refuse a forged one",
    async (name) => {
      const samples = await samplesOf("webhook-receivers");
      const sample = samples.find(({ heading }) => heading === name) as Sample;
      const served = name === "Next.js" ? { ...sample, source: sample.source + ROUTED } : sample;
      const port = String(await freePort());
      const [program, args] = await commandOf(served);
      await using receiver: Running = startProgram(program, args, { ...env, PORT: port });
      await receiver.says("Listening");
      const url = `http://127.0.0.1:${port}/webhooks`;
      const client = clientOf(service.url, env["MEDIA_API_KEY"] ?? "");
      await client.videos.create({ model: "beta-3.0-video", prompt: "a boat", webhook_url: url });
      await receiver.says("video.generation.completed");

      const body = JSON.stringify({ type: "webhook.test", text: "für" });
      const now = new Date();
      const signature = new Webhook(env["WEBHOOK_SECRET"] ?? "").sign("msg_1", now, body);
      const send = async (sent: string) => {
        const headers = {
          "content-type": "application/json",
          "webhook-id": "msg_1",
          "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
          "webhook-signature": signature,
        };
        return (await fetch(url, { method: "POST", headers, body: sent })).status;
      };
      expect([await send("{}"), await send(body), await send(body)]).toEqual([400, 204, 204]);
      const lines = receiver.output().split("\n");
      expect(lines.filter((line) => line === "webhook.test")).toHaveLength(1);
    },
  );
});
