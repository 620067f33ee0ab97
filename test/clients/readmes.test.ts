/** The samples of the clients' READMEs, as they are on the page, before the whole service. */
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { newCustomer } from "../support/customer.ts";
import { sharedService } from "../support/shared-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { hasPython, outputOfPython } from "./python/python.ts";

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
  env = { MEDIA_API_KEY: key, MEDIA_BASE_URL: `${service.url}/v1` };
});
afterAll(() => stack.disposeAsync());

/** The first sample in the language; the package of this project is that of the checkout. */
async function sampleOf(client: string, language: string): Promise<string> {
  const readme = await readFile(`clients/${client}/README.md`, "utf8");
  const [, sample = ""] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(readme) ?? [];
  const entry = JSON.stringify(resolve(`clients/${client}/index.ts`));
  return sample.replaceAll('"media-generation-client"', entry);
}

const isVideo = async (file: string) =>
  (await readFile(join(folder, file))).subarray(4, 8).toString() === "ftyp";

it("of TypeScript, and then of Python by the same key, make an image and a video (Python needs python3)", async () => {
  const file = join(folder, "sample.ts");
  await writeFile(file, await sampleOf("typescript", "ts"));
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const { stdout } = await run(process.execPath, [file], options);
  expect(stdout).toMatch(/^success 100 %\nhttp\S+\.png\n(?:\w+ -?\d+\n)+$/m);
  expect(await isVideo("cat.mp4")).toBe(true);
  if (!hasPython) return;
  const output = await outputOfPython(await sampleOf("python", "python"), env, { cwd: folder });
  expect(output).toMatch(/^success 100 %\n(?:\w+ -?\d+\n)+$/m);
});

it.each(["typescript", "python", "ai-sdk"])(
  "of %s link to nothing that is not in the package, and name no service of this checkout",
  async (client) => {
    const readme = await readFile(`clients/${client}/README.md`, "utf8");
    expect(readme.match(/\]\((?!https:)[^)]*\)/g)).toBeNull();
    // Who reads it has the package from a service elsewhere.
    expect(readme).not.toContain("localhost:8080");
  },
);
