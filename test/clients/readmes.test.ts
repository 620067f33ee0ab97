/** The samples of the clients' READMEs, as they are on the page, before the whole service. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { newCustomer } from "../support/customer.ts";
import { sharedService } from "../support/shared-service.ts";
import { folderForTests } from "../support/temporary-folder.ts";
import { hasPython, outputOfPython } from "./python/python.ts";

const run = promisify(execFile);
const folder = folderForTests();

/** The first sample; the package of this project is that of the checkout. */
async function sampleOf(client: string, language: string): Promise<string> {
  const readme = await readFile(`clients/${client}/README.md`, "utf8");
  const [, sample = ""] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "ms").exec(readme) ?? [];
  const entry = JSON.stringify(resolve(`clients/${client}/index.ts`));
  return sample.replaceAll('"media-generation-client"', entry);
}

it("of TypeScript, and then of Python by the same key, make an image and a video (Python needs python3)", async () => {
  const service = await sharedService();
  const key = await (await newCustomer(service)).key("test");
  const env = { MEDIA_API_KEY: key, MEDIA_BASE_URL: `${service.url}/v1` };
  const file = join(folder, "sample.ts");
  await writeFile(file, await sampleOf("typescript", "ts"));
  const options = { cwd: folder, env: { ...process.env, ...env } };
  const { stdout } = await run(process.execPath, [file], options);
  expect(stdout).toMatch(/^success 100 %\nhttp\S+\.png\n(?:\w+ -?\d+\n)+$/m);
  const video = await readFile(join(folder, "cat.mp4"));
  expect(video.toString("latin1", 4, 8)).toBe("ftyp");
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
