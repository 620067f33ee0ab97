/** The packed clients in new projects: ES modules, CommonJS, and TypeScript of several versions and settings. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isLong } from "../../support/test-size.ts";
import { installInto, NODES, run } from "./packed-client.ts";
import { folderForTests } from "../../support/temporary-folder.ts";

/** Without a URL it is the service that npm has the package from. */
const BALANCE = `
const fetch = async ({ url }) => Response.json({ url });
const client = createClient({ apiKey: "k", fetch });
`;
const RESOLVED = "https://a.example.com/docs/packages/media-generation-client-1.0.0.tgz";
const ESM = `import { createClient } from "media-generation-client";${BALANCE}
process.stdout.write(import.meta.resolve("media-generation-client") + " " + (await client.balance.retrieve()).url);
`;
const CJS = `const { createClient } = require("media-generation-client");${BALANCE}
client.balance.retrieve().then(({ url }) =>
  process.stdout.write(require.resolve("media-generation-client") + " " + url));
`;
/** What a user writes; the compiler refuses an error that is expected and does not come. */
const TYPED = `import { createClient, type Video, type VideoRequest, type WebhookEvent } from "media-generation-client";
const client = createClient({ apiKey: "k", baseUrl: "https://a.example.com" });
export async function use(seconds: number): Promise<string> {
  await client.videos.create({ model: "beta-3.0-video", prompt: "a cat", duration: 30, aspect_ratio: "16:9" });
  await client.videos.create({ model: "an-id-of-tomorrow", prompt: "a cat", duration: 31, aspect_ratio: "2:1" });
  const request: VideoRequest = { model: "alpha-2.0", prompt: "a cat", duration: seconds };
  await client.videos.create(request);
  // @ts-expect-error -- the client has no such option
  createClient({ auth: "k" });
  // @ts-expect-error -- the model makes no videos of 7 seconds
  await client.videos.create({ model: "alpha-2.0", prompt: "a cat", duration: 7 });
  const beta = { model: "beta-3.0-video", prompt: "a cat" } as const;
  await client.videos.create({ ...beta, resolution: "720P", seed: 7 });
  // @ts-expect-error -- the model has no such field, whatever its value
  await client.videos.create({ ...beta, audio: null });
  await client.videos.create({ ...beta, model: "an-id-of-tomorrow", audio: true, resolution: "4K" });
  const gamma = { model: "gamma-image-3.0-pro", prompt: "a cat" } as const;
  await client.images.create({ ...gamma, n: 4, background: "opaque" });
  // @ts-expect-error -- the model takes no mask
  await client.images.create({ ...gamma, mask_url: "https://a.example.com" });
  // @ts-expect-error -- the model needs a picture
  await client.videos.create({ model: "beta-2.7-image-to-video", prompt: "a cat" });
  // @ts-expect-error -- the model makes images
  await client.videos.create({ model: "gamma-image-3.0-pro", prompt: "a cat" });
  // @ts-expect-error -- the model makes videos
  await client.images.create({ model: "alpha-2.0", prompt: "a cat" });
  // @ts-expect-error -- no model makes this size
  await client.images.create({ model: "gamma-image-3.0-pro", prompt: "a cat", size: "1x1" });
  const { data: newest, has_more: hasMore } = await client.videos.list({ limit: 1 });
  if (newest[0]?.output[0] && !hasMore) await client.download(newest[0].output[0], "cat.mp4");
  for await (const { data, nextCursor } of client.videos.list({ limit: 5 }).pages()) {
    if (data.length === 0) break;
    for await (const video of client.videos.list({ after: nextCursor ?? "" })) return ended(video);
  }
  for await (const model of client.models.list()) if (model.kind === "image") break;
  const picture = await client.files.create(new ArrayBuffer(1));
  await client.videos.create({ model: "alpha-2.0", prompt: "a cat", image_url: picture });
  const image = await client.images.create(gamma);
  const pending = await client.images.create(gamma, { respondAsync: true });
  // @ts-expect-error -- it has not ended
  const done: "success" = pending.status;
  const made = await client.videos.createAndWait({ model: "alpha-2.0", prompt: "a cat", duration: 5 });
  const status: "success" = made.status;
  return status + done + made.output[0].url + image.output[0].url;
}
function ended(video: Video): string {
  // @ts-expect-error -- only one that succeeded is sure to have a file
  video.output[0].url;
  const urls = [video.output[0]?.url, ...video.output.map(({ url }) => url)];
  if (video.status === "canceled") return video.id + urls.length;
  // @ts-expect-error -- only one that failed has an error
  video.error.code;
  if (video.status === "failed") return video.error.code;
  return video.status === "success" ? video.output[0].url : video.status;
}
export function codeOf(event: WebhookEvent): string {
  if (event.type === "video.generation.failed") return event.data.error.code;
  if (event.type === "image.generation.canceled") return event.data.id;
  if (event.type === "video.generation.canceled") return event.data.status satisfies "canceled";
  if (event.type === "image.generation.completed") return event.data.output[0].url;
  return event.type;
}
`;

/** The oldest that is supported, if there are several. */
const nodes = isLong ? NODES : NODES.slice(-1);

describe("the packed client", () => {
  const folder = folderForTests();
  let tarball: string;
  /** A folder of the project, with these files. */
  const part = async (name: string, files: Record<string, string>) => {
    const path = join(folder, name);
    await mkdir(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) await writeFile(join(path, file), text);
    return path;
  };
  beforeAll(async () => {
    await writeFile(join(folder, "package.json"), "{}");
    ({ tarball } = await installInto(folder, "clients/typescript"));
    const packages = { "node_modules/media-generation-client": { resolved: RESOLVED } };
    const lock = join(folder, "node_modules", ".package-lock.json");
    await writeFile(lock, JSON.stringify({ packages }));
  });

  it.skipIf(!isLong)(
    "has entries that every resolution finds, and types of the same kind",
    async () => {
      const attw = resolve("node_modules/.bin/attw");
      const types = await run(attw, [tarball, "--format", "json"], { cwd: folder });
      const { analysis, problems } = JSON.parse(types.stdout) as {
        analysis: { types: unknown };
        problems: unknown;
      };
      expect(problems).toEqual({});
      expect(analysis.types).toMatchObject({ kind: "included" });
    },
  );

  it.each(nodes)("is an ES module, or CommonJS where it is required, under %s", async (node) => {
    const esm = await part("esm", { "package.json": '{"type":"module"}', "use.js": ESM });
    const imported = await run(node, ["use.js"], { cwd: esm });
    expect(imported.stdout).toMatch(/\/dist\/index\.js https:\/\/a\.example\.com\/v1\/balance$/);
    const cjs = await part("cjs", { "package.json": "{}", "use.js": CJS });
    const required = await run(node, ["use.js"], { cwd: cjs });
    expect(required.stdout).toMatch(/\/dist\/index\.cjs https:\/\/a\.example\.com\/v1\/balance$/);
  });

  const settings: [string, { module: string; moduleResolution?: string }][] = [
    ["typescript-7", { module: "nodenext" }],
    ["typescript-5.4", { module: "commonjs", moduleResolution: "node10" }],
    ["typescript", { module: "nodenext" }],
    ["typescript-5.4", { module: "nodenext" }],
    ["typescript-5.4", { module: "node16" }],
    ["typescript-5.4", { module: "esnext", moduleResolution: "bundler" }],
  ];
  it.each(isLong ? settings : settings.slice(0, 1))(
    "has types that compile without skipLibCheck, by %s with %j",
    async (compiler, setting) => {
      const isOld = setting.moduleResolution === "node10";
      const compilerOptions = {
        ...setting,
        target: "es2022",
        strict: true,
        noEmit: true,
        types: [],
      };
      const config = { compilerOptions, files: isOld ? ["use.ts"] : ["use.ts", "use.mts"] };
      const files = { "package.json": "{}", "use.ts": TYPED, "use.mts": TYPED };
      const cwd = await part("typed", { ...files, "tsconfig.json": JSON.stringify(config) });
      const tsc = resolve("node_modules", compiler, "bin/tsc");
      const { stdout } = await run(process.execPath, [tsc, "-p", "."], { cwd }).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toBe("");
    },
    120_000,
  );

  it.each(["typescript", "ai-sdk"])(
    "imports nothing but its own files, so that every runtime and bundler can load it: of %s",
    async (client) => {
      const { tarball, installed } = await installInto(folder, `clients/${client}`);
      const manifest = await readFile(join(installed, "package.json"), "utf8");
      expect(JSON.parse(manifest)).not.toHaveProperty("dependencies");
      const loaded = new Set<string>();
      const load = async (file: string): Promise<void> => {
        if (loaded.has(file)) return;
        loaded.add(file);
        const text = await readFile(join(installed, "dist", file), "utf8");
        for (const [, from = ""] of text.matchAll(/^(?:import|export)[^;]*? from "([^"]+)"/gm)) {
          expect(from).toMatch(/^\.\//);
          await load(from);
        }
      };
      await load("index.js");
      await load("index.d.ts");
      if (!isLong) return;
      const lint = await run(resolve("node_modules/.bin/publint"), ["run", tarball, "--strict"]);
      expect(lint.stdout).toContain("All good!");
    },
  );
});
