/** The provider's package, installed from its tarball into an empty project beside `ai`. */
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installInto, packInto, run } from "../typescript/packed-client.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** In place of the service: every generation is done, and every file is a PNG. */
const FAKE_SERVICE = `
const output = [{ url: "https://a.example.com/assets/cat", content_type: "image/png" }];
globalThis.fetch = async (request) => {
  const { pathname } = new URL(request.url ?? request);
  if (pathname.startsWith("/assets/")) return new Response(new Uint8Array([137, 80, 78, 71]));
  return Response.json({ id: "gen_1", status: "success", created_at: "2026-11-17T12:00:00Z", output });
};
`;
const SHOW = `process.stdout.write(JSON.stringify([image.mediaType, providerMetadata.mediaGeneration?.videos]));
`;

describe("the package", () => {
  const stack = new AsyncDisposableStack();
  let project: string;
  beforeAll(async () => {
    project = stack.use(await temporaryFolder()).path;
    const tarball = await packInto(project, "clients/ai-sdk");
    await installInto(project, tarball, { "package.json": '{"type":"module"}' });
    await symlink(resolve("node_modules/ai"), join(project, "node_modules/ai"));
    const readme = await readFile("clients/ai-sdk/README.md", "utf8");
    const [, sample = ""] = /^```ts\n(.*?)^```/ms.exec(readme) ?? [];
    await writeFile(join(project, "sample.ts"), sample + SHOW);
    await writeFile(join(project, "fake-service.js"), FAKE_SERVICE);
  });
  afterAll(() => stack.disposeAsync());

  it("does what its README shows, as it is on the page", async () => {
    const env = { MEDIA_API_KEY: "k", MEDIA_BASE_URL: "https://a.example.com/v1" };
    const args = ["--import", "./fake-service.js", "sample.ts"];
    const { stdout } = await run(process.execPath, args, { cwd: project, env });
    expect(JSON.parse(stdout.slice(stdout.indexOf("[")))).toEqual([
      "image/png",
      [{ id: "gen_1", url: "https://a.example.com/assets/cat", content_type: "image/png" }],
    ]);
  });

  it("has types that the AI SDK's functions take", async () => {
    const types = [resolve("node_modules/@types")];
    const options = { module: "nodenext", target: "es2022", strict: true, noEmit: true };
    const compilerOptions = { ...options, skipLibCheck: true, typeRoots: types, types: ["node"] };
    const config = { compilerOptions, files: ["sample.ts"] };
    await writeFile(join(project, "tsconfig.json"), JSON.stringify(config));
    const tsc = resolve("node_modules/typescript-7/bin/tsc");
    const compiled = run(process.execPath, [tsc, "-p", "."], { cwd: project });
    const { stdout } = await compiled.catch((error: { stdout: string }) => error);
    expect(stdout).toBe("");
  });

  it("has types that are complete, entries that are found, and no dependencies", async () => {
    const folder = join(project, "node_modules/media-generation-ai-sdk");
    const text = await readFile(join(folder, "package.json"), "utf8");
    expect(JSON.parse(text)).not.toHaveProperty("dependencies");
    for (const name of ["index.js", "index.d.ts"]) {
      const code = await readFile(join(folder, "dist", name), "utf8");
      expect(code).not.toMatch(/^(?:import|export)[^;]*? from "/m);
    }
    const lint = await run(resolve("node_modules/.bin/publint"), ["run", folder, "--strict"]);
    expect(lint.stdout).toContain("All good!");
  });
});
