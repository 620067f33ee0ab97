/** The samples of the guides and of the error codes, run as they are on the page, before the whole service. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import document from "../../../gen/openapi/media.json" with { type: "json" };
import { firstCalls } from "../../../services/standalone/welcome.ts";
import { hasPython, PYTHON, PYTHON_ENV } from "../../clients/python/python.ts";
import { beginCommand } from "../../clients/typescript/begin-command.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { startReceiver } from "../../support/receiver.ts";
import { modern } from "../edge/mcp/clients.ts";
import { headersOf, type ErrorAnswer } from "../requests.ts";
import { samplesIn, useGuides, type Sample } from "./guide-samples.ts";

const { service, folder, env, samplesOf, outputOf, runAll } = useGuides();

const hasOpenai =
  hasPython &&
  spawnSync(PYTHON, ["-c", "import openai"], { env: { ...process.env, ...PYTHON_ENV } }).status ===
    0;

const urlOf = (end: string) => expect.stringMatching(new RegExp(`^http:.*\\.${end}\n$`)) as string;

const readme = async () =>
  (await readFile("README.md", "utf8")).replaceAll("http://localhost:8080", service.url);

const expectVideo = async (file: string) =>
  expect((await readFile(join(folder, file))).toString("latin1", 4, 8)).toBe("ftyp");

const balance = async () => clientOf(service.url, env["MEDIA_API_KEY"] ?? "").balance.retrieve();

describe("the samples of the guides", () => {
  it("of the quickstart make one video and one image in all languages, each charged once", async () => {
    const before = await balance();
    const samples = (await samplesOf("quickstart")).filter(({ source }) => !source.includes("_…"));
    expect(samples.map(({ language }) => language)).toEqual(
      ["sh", "ts", "python"].concat(["sh", "ts", "python"]),
    );
    const outputs = await runAll(samples);
    const urls = outputs.map((output) => /"?(http[^"\s]+\.(?:mp4|png))/.exec(output)?.[1]);
    expect(urls).not.toContain(undefined);
    expect(new Set(urls).size).toBe(2);
    const after = await balance();
    expect(before.available - after.available).toBe(500 + 42);
  });

  it("of the first page makes a video", async () => {
    const page = await (await fetch(`${service.url}/docs/index.md`)).text();
    const samples = samplesIn(page);
    expect(await runAll(samples)).toEqual([expect.stringContaining('"status":"success"')]);
  });

  it("of README.md and of what npm start prints make a video and fetch it, pasted together", async () => {
    await mkdir(join(folder, ".data/demo"), { recursive: true });
    for (const file of [".data/demo/test-key", "demo's key"])
      await writeFile(join(folder, file), env["MEDIA_API_KEY"] ?? "");
    const text = await readme();
    const [sample] = samplesIn(text.slice(text.indexOf("## Make a video")));
    for (const source of [sample?.source ?? "", firstCalls(service.url, "demo's key")]) {
      await rm(join(folder, "cat.mp4"), { force: true });
      const output = await outputOf({ language: "sh", heading: "", source });
      expect(output).toContain('"status":"success"');
      await expectVideo("cat.mp4");
    }
  });

  /** What the one sample of a guide in each language prints. */
  const SAYS: Record<string, Record<string, RegExp>> = {
    streaming: { sh: /"status":"success"/, ts: /^success 100$/m, python: /^success 100$/m },
    lists: { sh: /"has_more":/, ts: /^vgen_/m, python: /^vgen_/m },
    idempotency: { sh: /"status":"pending"/, ts: /^true true$/m, python: /^True$/m },
    "test-mode": {
      sh: /"simulate":"fail:content_rejected"/,
      ts: /^content_rejected$/m,
      python: /^content_rejected$/m,
    },
    spending: { sh: /"object":"usage"/, ts: /^\d+ \d+ \[/, python: /^\d+ \d+ \[/ },
    files: { sh: /"url":/, ts: /^http\S+ vgen_/, python: /^http\S+ vgen_/ },
    errors: {
      sh: /"object":"list"/,
      ts: /^content_rejected vgen_/,
      python: /^content_rejected vgen_/,
    },
    client: { ts: /\.mp4$/m, python: /^$/ },
    waiting: { ts: /^http\S+\.mp4$/m, python: /^http\S+\.mp4$/m },
    "api-keys": { sh: /"available":/ },
    "README.md": { ts: /^http\S+\.mp4\n$/ },
  };

  it("of each guide and of README.md do what they say (those for Python need python3)", async () => {
    const rows = Object.entries(SAYS)
      .flatMap(([guide, says]) => Object.entries(says).map((said) => [guide, ...said] as const))
      .filter(([, language]) => hasPython || language !== "python");
    const samples = rows.map(async ([guide, language]) => {
      const all = guide === "README.md" ? samplesIn(await readme()) : await samplesOf(guide);
      const found = all.filter(
        (one) => one.language === language && !one.source.includes("npx media-generation"),
      );
      expect([guide, language, found.length]).toEqual([guide, language, 1]);
      return found[0] as Sample;
    });
    const outputs = await runAll(await Promise.all(samples));
    expect(outputs.map((output, at) => [...(rows[at] ?? []).slice(0, 2), output])).toEqual(
      rows.map(([guide, language, says]) => [guide, language, expect.stringMatching(says)]),
    );
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
        ["`GET /transactions`, the latest", "`charged`", latest?.charged ?? "absent"],
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
    const [made = "", later, caught = ""] = await runAll(samples);
    expect(samples).toHaveLength(3);
    for (const output of [made, later]) expect(output).toMatch(/"url":"http[^"]+\.mp4"/);
    await expectVideo("boat.mp4");
    expect(caught).toMatch(/^content_rejected vgen_\w+ failed: /);
  });

  it.skipIf(!hasOpenai)("of OpenAI's client for Python make a video (needs it)", async () => {
    const samples = (await samplesOf("openai")).filter(({ language }) => language === "python");
    expect(await runAll(samples)).toEqual([
      expect.stringMatching(/^completed vgen_\w+\n$/),
      urlOf("png"),
    ]);
  });

  it("for those who come from another service make what they made before", async () => {
    const guides = await Promise.all(["openai", "replicate", "fal"].map(samplesOf));
    const samples = guides
      .flat()
      .filter(({ language, heading }) => language === "ts" && heading !== "Before")
      .filter(({ source }) => !source.includes("onWebhook"));
    await rm(join(folder, "boat.mp4"), { force: true });
    expect(await runAll(samples)).toEqual([
      expect.stringMatching(/^completed vgen_\w+\n$/),
      urlOf("png"),
      "",
      ...["png", "mp4", "mp4", "png", "jpg"].map(urlOf),
      expect.stringContaining("prompt must have at least 1 character."),
    ]);
    for (const file of ["paper-boat.mp4", "boat.mp4"]) await expectVideo(file);
  });

  it("for those who come from fal tell the defaults of the catalog, which decide the price", async () => {
    const { models } = clientOf(service.url, env["MEDIA_API_KEY"] ?? "");
    const [video, image] = await Promise.all(
      ["beta-3.0-video", "gamma-image-3.0-pro"].map((id) => models.retrieve(id)),
    );
    const guide = await (await fetch(`${service.url}/docs/guides/fal.md`)).text();
    const seconds = video?.durations?.default;
    expect(guide.replaceAll("\n", " ")).toContain(
      `without \`duration\` a video has ${seconds} seconds, without \`size\` an image is \`${image?.default_size}\``,
    );
  });

  const LANGUAGES = ["ts", ...(hasPython ? ["python"] : [])];

  it.each(LANGUAGES)("for those from Replicate cancel and list a video, in %s", async (asked) => {
    const [sample] = (await samplesOf("replicate")).filter(
      ({ language, heading, source }) =>
        language === asked && heading === "After" && /on_?webhook/i.test(source),
    );
    // It must not end before the cancel comes.
    const hangs =
      asked === "ts" ? 'metadata: { simulate: "hang" }' : 'metadata={"simulate": "hang"}';
    const source = (sample?.source ?? "").replace('"A paper boat",', `$& ${hangs},`);
    const output = await outputOf({ ...sample, source } as Sample);
    expect(output).toMatch(/^vgen_\w+ canceled\n/);
  });

  it("of the command line do what they say, line by line", async () => {
    const [block] = (await samplesOf("client")).filter(({ language }) => language === "sh");
    const [install, setUrl = "", ...commands] = block?.source.match(/^[^#\n].*/gm) ?? [];
    expect(install).toMatch(/^npm install http\S+\/media-generation-client-\S+\.tgz$/);
    const [, url = ""] = /^export MEDIA_BASE_URL=(\S+)/.exec(setUrl) ?? [];
    // The script of this repository takes paths from where npm was called.
    const script = { npm_lifecycle_event: "media-generation", INIT_CWD: folder };
    /** Begins a line within this process. */
    const begin = (line: string) => {
      const words = line.split("#")[0]?.match(/"[^"]+"|\S+/g) ?? [];
      const [npx, name, ...args] = words.map((word) => word.replaceAll('"', ""));
      expect([npx, name]).toEqual(["npx", "media-generation"]);
      return beginCommand({ ...env, ...script, MEDIA_BASE_URL: url }, args);
    };
    const run = async (line: string) => {
      const { code, output } = await begin(line).ended;
      expect([line, code]).toEqual([line, 0]);
      return output;
    };
    await using receiver = await startReceiver();
    const [image = "", video = "", list = "", get = "", listen = ""] = commands;
    expect(commands).toHaveLength(5);
    expect(await run(image)).toMatch(/success 100 %\n/);
    const sailing = await run(video);
    expect(sailing).toMatch(/success 100 %\n/);
    await expectVideo("boat.mp4");
    const id = /vgen_\w+/.exec(sailing)?.[0] ?? "";
    expect(await run(list)).not.toContain(id);
    expect(await run(get.replace("vgen_…", id))).toContain(id);
    await using listening = begin(listen.replace("localhost:3000", new URL(receiver.url).host));
    const says = (text: string) => expect.poll(listening.output).toContain(text);
    await says("Signing secret: whsec_");
    const client = clientOf(service.url, env["MEDIA_API_KEY"] ?? "");
    const made = await client.videos.create({ model: "beta-3.0-video", prompt: "a boat" });
    await says(`completed  evt_${made.id.split("_")[1]}  ${made.id}`);
    expect(String(receiver.received[0]?.body)).toContain(made.id);
  });

  it("of MCP name the address, the key and the tools that are found by them", async () => {
    const key = env["MEDIA_API_KEY"] ?? "";
    const url = `${service.url}/mcp`;
    const [command] = await samplesOf("mcp");
    const source = `claude() { printf "%s\\n" "$@"; }\n${command?.source}`;
    const output = await outputOf({ ...command, source } as Sample);
    const header = `Authorization: Bearer ${key}`;
    const words = ["mcp", "add", "--transport", "http", "media", url, "--header", header];
    expect(output.trim().split("\n")).toEqual(words);
    const page = await (await fetch(`${service.url}/docs/guides/mcp.md`)).text();
    await using client = await modern(url.replace(/\/mcp$/, ""), key);
    const names = (await client.tools()).map(({ name }) => name);
    const named = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(names));
  });
});

type Note = { to?: string; param?: string; wrong?: string; right?: string };

const notes = parse(readFileSync("services/gateway/docs/error-notes.yaml", "utf8")) as Record<
  string,
  Note
>;
const shown = Object.entries(notes).filter(([, { wrong }]) => wrong !== undefined);

async function send(to: string, body: string) {
  const [method = "", path = ""] = to.split(" ");
  const headers = headersOf(env["MEDIA_API_KEY"] ?? "");
  const answer = await fetch(`${service.url}/v1${path}`, { method, headers, body });
  return ((await answer.json()) as Partial<ErrorAnswer>).error;
}

describe("the page of the error codes", () => {
  const page = async () => (await fetch(`${service.url}/docs/errors.md`)).text();

  it("has each code of the document, and no other, why it happens and what to do", async () => {
    const codes = [...new Set(document["x-error-codes"].map(({ code }) => code))];
    expect(new Set(Object.keys(notes))).toEqual(new Set(codes));
    const parts = (await page()).split(/^## /m).slice(1);
    expect(parts.map((part) => /^`(.+?)`/.exec(part)?.[1])).toEqual(codes);
    for (const part of parts) expect(part).toMatch(/Why it happens\.\*\* .+What to do\.\*\* /s);
    // The OpenAI dialect has one of its own.
    const twice = parts.find((part) => part.startsWith("`not_finished`"));
    expect(twice).toMatch(/^\*\*409, `conflict_error`\..*^\*\*400, `invalid_request_error`\./ms);
  });

  it.each(shown)("shows a request that is answered %s, and the same mended", async (code, note) => {
    const { to = "POST /videos/generations", param, wrong = "", right = "" } = note;
    const refused = await send(to, wrong);
    expect([refused?.code, refused?.param]).toEqual([code, param]);
    const [, part = ""] = (await page()).split(`\n## \`${code}\`\n`);
    const [own] = part.split("\n## ");
    expect(own).toContain(wrong);
    expect(own).toContain(right);
    expect(own).toContain(JSON.stringify(refused?.message));
    // A picture that is not there ends an image later, as one of the request's own faults would not.
    const mended = await send(to, right);
    expect(mended?.type ?? "generation_error").toBe("generation_error");
  });
});
