/** The samples of the clients' READMEs, one after another, as they are on the page, before the whole service. */
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newCustomer } from "../support/customer.ts";
import { sharedService } from "../support/shared-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hasPython, PYTHON, PYTHON_ENV } from "./python/python.ts";

const run = promisify(execFile);
const stack = new AsyncDisposableStack();
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  const service = await sharedService();
  folder = join(stack.use(await temporaryFolder()).path, "project");
  await mkdir(folder, { recursive: true });
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  const key = await (await newCustomer(service)).key("test");
  env = { ...PYTHON_ENV, MEDIA_API_KEY: key, MEDIA_BASE_URL: `${service.url}/v1` };
});
afterAll(() => stack.disposeAsync());

/** The first sample in the language; the package of this project is that of the checkout. */
async function sampleOf(client: string, language: string): Promise<string> {
  const readme = await readFile(`clients/${client}/README.md`, "utf8");
  const [, sample = ""] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(readme) ?? [];
  const entry = JSON.stringify(resolve(`clients/${client}/index.ts`));
  return sample.replaceAll(/"media-generation-(?:client|ai-sdk)"/g, entry);
}

async function runNode(client: string, more = ""): Promise<string> {
  const file = join(folder, `${client}.ts`);
  await writeFile(file, (await sampleOf(client, "ts")) + more);
  const options = { cwd: folder, env: { ...process.env, ...env } };
  return (await run(process.execPath, [file], options)).stdout;
}

const isVideo = async (file: string) =>
  (await readFile(join(folder, file))).subarray(4, 8).toString() === "ftyp";

it("of the AI SDK make a video of an image, twice, and fetch it from this machine", async () => {
  const show = `\nconsole.log(video.mediaType, providerMetadata?.mediaGeneration);\n`;
  for (let i = 0; i < 2; i++)
    expect(await runNode("ai-sdk", show)).toMatch(/^video\/mp4 \{\s+videos: \[\s+\{\s+id: 'vgen_/);
});

it("of TypeScript, and then of Python by the same key, make videos and images (Python needs python3)", async () => {
  expect(await runNode("typescript")).toMatch(/^success 100 %\nhttp\S+\.png\n(?:\w+ -?\d+\n)+$/m);
  expect(await isVideo("cat.mp4")).toBe(true);
  if (!hasPython) return;
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const { stdout } = await run(PYTHON, ["-c", await sampleOf("python", "python")], options);
  expect(stdout).toMatch(/^success 100 %\n(?:\w+ -?\d+\n)+$/m);
});
