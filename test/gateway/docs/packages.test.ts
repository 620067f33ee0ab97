/** The packages of the clients that the documentation offers. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasPython, PYTHON } from "../../clients/python/python.ts";
import { run } from "../../clients/typescript/packed-client.ts";
import { useHarness } from "../harness.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const harness = useHarness();

/** The lines of the guide that install something. */
async function installLines(guide: string): Promise<string[]> {
  const page = await (await harness.send(`/docs/guides/${guide}.md`)).text();
  return [...page.matchAll(/(?:npm|pip) install (?!\.|-g)[^`\n]+/g)].map(([line]) => line);
}

const urlsIn = (lines: string[]) =>
  lines.flatMap((line) => line.split(" ").filter((word) => word.startsWith("http")));

it("all have an address on this service that answers the package", async () => {
  const lines = await Promise.all(
    ["quickstart", "client", "ai-sdk", "fal", "replicate"].map(installLines),
  );
  const [quickstart, client, ...others] = lines.map(urlsIn);
  expect(quickstart).toHaveLength(2);
  // The guide of the clients has it again, for the command line.
  expect([...new Set(client)]).toEqual(quickstart);
  expect(others.flat()).toHaveLength(5);
  for (const url of lines.flatMap(urlsIn)) {
    expect(url).toMatch(new RegExp(`^${harness.url}/docs/packages/[\\w.-]+\\.(tgz|whl)$`));
    expect([url, (await fetch(url)).status]).toEqual([url, 200]);
  }
});

it.skipIf(!hasPython)("are a wheel that Python reads as it is, with its types", async () => {
  await using folder = await temporaryFolder();
  const [url = ""] = urlsIn(await installLines("client")).filter((each) => each.endsWith(".whl"));
  const file = join(folder.path, url.slice(url.lastIndexOf("/") + 1));
  await writeFile(file, Buffer.from(await (await fetch(url)).arrayBuffer()));
  const use = `
import importlib.metadata, sys, zipfile
sys.path.insert(0, sys.argv[1])
archive = zipfile.ZipFile(sys.argv[1])
print(archive.testzip(), "media_generation_client/py.typed" in archive.namelist())
print(importlib.metadata.version("media-generation-client"))`;
  const { stdout } = await run(PYTHON, ["-c", use, file]);
  const { version } = JSON.parse(await readFile("clients/typescript/package.json", "utf8")) as {
    version: string;
  };
  expect(stdout).toBe(`None True\n${version}\n`);
});

it("are what the production image has: it packs them, and copies what the service reads", async () => {
  const dockerfile = await readFile("deploy/Dockerfile", "utf8");
  expect(dockerfile).toContain("RUN node scripts/client-packages.mjs");
  const guides = ["clients/typescript/README.md", "clients/python/README.md"];
  for (const path of ["clients/packages", "clients/typescript/package.json", ...guides])
    expect(dockerfile).toMatch(new RegExp(`^COPY .*${path} ${path}$`, "m"));
});
