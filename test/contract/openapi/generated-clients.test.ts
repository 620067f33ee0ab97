/** Clients that programs of others make of the served document compile, and create videos. */
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { isLong } from "../../support/test-size.ts";

const run = promisify(execFile);

/** In each the least that a create needs: a field that has a default is no part of it. */
const USES = {
  "openapi-typescript": `
import createClient from "openapi-fetch";
import type { paths } from "./openapi-typescript";
export async function create(baseUrl: string, key: string) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: "Bearer " + key } });
  const body = { model: "alpha-2.0", prompt: "a cat" };
  const { data, error } = await client.POST("/videos/generations", { body });
  return data?.status ?? error?.error.code;
}`,
  "hey-api": `
import { createClient } from "./hey-api/client";
import { createVideoGeneration } from "./hey-api";
export async function create(baseUrl: string, auth: string) {
  const client = createClient({ baseUrl, auth });
  const { data, error } = await createVideoGeneration({ client, body: { model: "alpha-2.0", prompt: "a cat" } });
  return data?.status ?? error?.error.code;
}`,
  orval: `
import { createVideoGeneration } from "./orval";
export async function create(_baseUrl: string, key: string) {
  const headers = { authorization: "Bearer " + key };
  const { data } = await createVideoGeneration({ model: "alpha-2.0", prompt: "a cat" }, { headers });
  return "status" in data ? data.status : data.error.code;
}`,
} as const;

/** Those of the two other programs seldom differ, and take ten seconds. */
const generators = isLong ? Object.keys(USES) : ["openapi-typescript"];

/** One process for all of them. */
const MAIN = `
const [, , baseUrl, key, ...generators] = process.argv;
const creates = generators.map((generator: string) => require("./use-" + generator).create(baseUrl, key));
Promise.all(creates).then((statuses) => process.stdout.write(JSON.stringify(statuses)));
`;

const folder = folderForTests();

it("clients of each program (hey-api and orval in long runs) create a video with model and prompt alone", async () => {
  const service = await sharedService();
  const key = await (await newCustomer(service)).key("test");
  const tool = (name: string, ...args: string[]) =>
    run(resolve("node_modules/.bin", name), args, { cwd: folder });
  const document = await fetch(`${service.url}/openapi.json`);
  await writeFile(join(folder, "openapi.json"), await document.text());
  await writeFile(join(folder, "package.json"), "{}");
  await symlink(resolve("node_modules"), join(folder, "node_modules"));
  for (const [name, text] of Object.entries(USES))
    await writeFile(join(folder, `use-${name}.ts`), text);
  await writeFile(join(folder, "main.ts"), MAIN);
  // The one of several types of a body that orval sends correctly.
  const contentType = { include: ["application/json", "multipart/form-data"] };
  const output = { target: "orval.ts", client: "fetch", baseUrl: `${service.url}/v1` };
  const orval = { input: "openapi.json", output: { ...output, override: { contentType } } };
  await writeFile(
    join(folder, "orval.config.cjs"),
    `module.exports = ${JSON.stringify({ media: orval })};`,
  );
  await Promise.all([
    tool("openapi-typescript", "openapi.json", "--output", "openapi-typescript.ts"),
    isLong && tool("openapi-ts", "--input", "openapi.json", "--output", "hey-api"),
    isLong && tool("orval", "--config", "orval.config.cjs"),
  ]);
  const settings = ["--module", "nodenext", "--target", "es2022"];
  const flags = [...settings, "--strict", "--skipLibCheck", "--types", "node"];
  const tsc = resolve("node_modules/typescript-7/bin/tsc");
  const files = ["main.ts", ...generators.map((name) => `use-${name}.ts`)];
  await run(process.execPath, [tsc, ...flags, ...files], { cwd: folder }).catch(
    (error: { stdout: string }) => {
      throw new Error(`the clients do not compile:\n${error.stdout}`);
    },
  );
  const args = ["main.js", `${service.url}/v1`, key, ...generators];
  const { stdout } = await run(process.execPath, args, { cwd: folder });
  expect(JSON.parse(stdout)).toEqual(generators.map(() => "pending"));
}, 240_000);
