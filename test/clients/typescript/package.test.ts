/** The client's package, installed from its tarball into an empty project. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installInto, NODES, packInto, run } from "./packed-client.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

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

describe("the package", () => {
  const stack = new AsyncDisposableStack();
  let project: string;
  beforeAll(async () => {
    project = stack.use(await temporaryFolder()).path;
    const files = { "package.json": '{"type":"module"}', "use.js": USE };
    await installInto(project, await packInto(project), files);
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
    expect(help.stdout).toContain("listen");
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
