/** The TypeScript on the pages of the documentation, compiled as it stands there. */
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { run } from "../../clients/typescript/packed-client.ts";
import { useHarness } from "../harness.ts";
import { useCatalog } from "./documented.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const harness = useHarness();

/** The project's own rules for its samples: those that `tsc --init` sets. */
const OPTIONS = {
  module: "nodenext",
  target: "es2024",
  lib: ["es2024", "dom", "dom.iterable"],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  verbatimModuleSyntax: true,
  types: ["node"],
  paths: {
    "media-generation-client": [resolve("clients/typescript/index.ts")],
    "media-generation-ai-sdk": [resolve("clients/ai-sdk/index.ts")],
  },
};

/** No type definitions of it are installed: what the samples use of it. */
const UNTYPED = `
type Sent = import("node:http").IncomingMessage & { body: Buffer; get(name: string): string | undefined };
type Answer = { sendStatus(status: number): void };
declare module "express" {
  const express: {
    (): {
      post(path: string, body: unknown, handler: (request: Sent, response: Answer) => unknown): void;
      listen(port: number, listening: (error?: Error) => void): void;
    };
    raw(options: { type: () => boolean }): unknown;
  };
  export default express;
}
`;

/** The samples of all pages by file name. */
async function samples(): Promise<Map<string, string>> {
  const index = (await (await harness.send("/docs/files/search.json")).json()) as { url: string }[];
  const found = new Map<string, string>();
  for (const { url } of index) {
    const page = await harness.send(url === "/docs" ? "/docs/index.md" : `${url}.md`);
    const code = [...(await page.text()).matchAll(/^```ts[^\n]*\n(.*?)^```/gms)];
    for (const [at, [, source = ""]] of code.entries())
      found.set(`${url.slice(1).replaceAll("/", "-")}-${at}.ts`, `${source}\nexport {};\n`);
  }
  return found;
}

it("compiles in a strict project, on every page", async () => {
  useCatalog(harness);
  await using folder = await temporaryFolder();
  const files = await samples();
  expect(files.size).toBeGreaterThan(40);
  await mkdir(folder.path, { recursive: true });
  await symlink(resolve("node_modules"), join(folder.path, "node_modules"));
  for (const [name, source] of files) await writeFile(join(folder.path, name), source);
  await writeFile(join(folder.path, "untyped.d.ts"), UNTYPED);
  await writeFile(join(folder.path, "package.json"), '{"type":"module"}');
  const config = { compilerOptions: OPTIONS, files: ["untyped.d.ts", ...files.keys()] };
  await writeFile(join(folder.path, "tsconfig.json"), JSON.stringify(config));
  const tsc = resolve("node_modules/typescript-7/bin/tsc");
  const compiled = run(process.execPath, [tsc, "-p", "."], { cwd: folder.path });
  const { stdout } = await compiled.catch((error: { stdout: string }) => error);
  expect(stdout).toBe("");
});
