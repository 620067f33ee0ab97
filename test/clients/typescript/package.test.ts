/** The client's package, installed from its tarball into an empty project. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/whole-service.ts";

const run = promisify(execFile);

const BIN = dirname(process.execPath);
/** The project's own Node, and where there is one that of the machine. */
const NODES = [process.execPath, "/usr/bin/node"].filter((path) => existsSync(path));

const USE = `
import { createClient, RateLimitError, verifyWebhook } from "media-generation-client";
const fetch = async (request) => Response.json({ url: request.url, agent: request.headers.get("user-agent") });
const client = createClient({ apiKey: "k", baseUrl: "https://a.example.com/v1", fetch });
const { url, agent, lastResponse } = await client.retrieveBalance();
process.stdout.write(JSON.stringify([url, agent, lastResponse.status, typeof verifyWebhook, typeof RateLimitError]));
`;

/** In place of the service: every video is done, and every file has the same bytes. */
const FAKE_SERVICE = `
const output = [{ url: "https://a.example.com/assets/cat.mp4" }];
globalThis.fetch = async (request) => {
  const { pathname } = new URL(request.url ?? request);
  if (pathname.startsWith("/assets/")) return new Response("a video");
  if (pathname.endsWith("/transactions")) return Response.json({ data: [{ type: "reserve", tokens: -5 }], has_more: false });
  return Response.json({ id: "vgen_1", status: "success", progress: 100, output });
};
`;

/** What the package is built from. */
async function sourcesIn(folder: string): Promise<string> {
  for (const name of ["package.json", "tsconfig.json", "gen/openapi"]) {
    await cp(name, join(folder, name), { recursive: true });
  }
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  const sources = join(folder, "clients/typescript");
  const isBuilt = (path: string) => /^clients\/typescript\/(dist|reference)$/.test(path);
  await cp("clients/typescript", sources, { recursive: true, filter: (path) => !isBuilt(path) });
  return sources;
}

describe("the package", () => {
  const stack = new AsyncDisposableStack();
  let project: string;
  beforeAll(async () => {
    project = stack.use(await temporaryFolder()).path;
    // npm builds where it packs, and the folder of the project may have a build of its user.
    const cwd = await sourcesIn(stack.use(await temporaryFolder()).path);
    const env = { ...process.env, PATH: `${BIN}:${process.env["PATH"]}` };
    await run("npm", ["pack", "--silent", "--pack-destination", project], { cwd, env });
    const [tarball = ""] = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
    await writeFile(join(project, "package.json"), '{"type":"module"}');
    const flags = ["--offline", "--no-audit", "--no-fund", "--silent"];
    await run("npm", ["install", ...flags, join(project, tarball)], { cwd: project, env });
    await writeFile(join(project, "use.js"), USE);
  });
  afterAll(() => stack.disposeAsync());

  it.each(NODES)("works in an empty project, with its command line, under %s", async (node) => {
    const { stdout: version } = await run(node, ["-p", "process.versions.node"]);
    const { stdout } = await run(node, ["use.js"], { cwd: project });
    expect(JSON.parse(stdout)).toEqual([
      "https://a.example.com/v1/balance",
      expect.stringMatching(`^media-generation-client/.* \\(node ${version.trim()}\\)$`),
      200,
      "function",
      "function",
    ]);
    const help = await run(node, ["node_modules/.bin/media-generation", "--help"], {
      cwd: project,
    });
    expect(help.stdout).toContain("follow");
  });

  it("does what its README shows, as it is on the page", async () => {
    const readme = await readFile("clients/typescript/README.md", "utf8");
    const [, sample = ""] = /^```ts\n(.*?)^```/ms.exec(readme) ?? [];
    await writeFile(join(project, "fake-service.js"), FAKE_SERVICE);
    await writeFile(join(project, "sample.ts"), sample);
    const env = { MEDIA_API_KEY: "k", MEDIA_BASE_URL: "https://a.example.com/v1" };
    const args = ["--import", "./fake-service.js", "sample.ts"];
    const { stdout } = await run(process.execPath, args, { cwd: project, env });
    expect(stdout).toContain("https://a.example.com/assets/cat.mp4\nreserve -5\n");
    expect(await readFile(join(project, "cat.mp4"), "utf8")).toBe("a video");
  });

  it("imports nothing but its own files, so that every runtime and bundler can load it", async () => {
    const folder = join(project, "node_modules/media-generation-client");
    const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
      dependencies?: object;
    };
    expect(dependencies).toBeUndefined();
    const loaded = new Set<string>();
    const load = async (name: string): Promise<void> => {
      if (loaded.has(name)) return;
      loaded.add(name);
      const text = await readFile(join(folder, "dist", name), "utf8");
      for (const [, from = ""] of text.matchAll(/^(?:import|export)[^;]*? from "([^"]+)"/gm)) {
        expect(from).toMatch(/^\.\//);
        await load(from);
      }
    };
    await load("index.js");
    await load("index.d.ts");
  });
});
