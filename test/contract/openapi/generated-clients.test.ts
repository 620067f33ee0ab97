/** Clients that programs of others make of the document compile, and create videos. */
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import createFetchClient from "openapi-fetch";
import type { paths } from "#gen/openapi/media.ts";
import { newCustomer } from "../../support/customer.ts";
import { forTests } from "../../support/for-tests.ts";
import { sharedService } from "../../support/shared-service.ts";
import { folderForTests } from "../../support/temporary-folder.ts";
import { isLong } from "../../support/test-size.ts";

const service = forTests(sharedService);
const baseUrl = () => `${service.url}/v1`;
const newKey = async () => (await newCustomer(service)).key("test");

/** In each client the least that a create needs: a field that has a default is no part of it. */
const LEAST = { model: "alpha-2.0", prompt: "a cat" } as const;

it("a client with the types of openapi-typescript creates a video with model and prompt alone", async () => {
  // `npm run gen` makes the types as the program does by itself.
  const headers = { authorization: `Bearer ${await newKey()}` };
  const client = createFetchClient<paths>({ baseUrl: baseUrl(), headers });
  const { data } = await client.POST("/videos/generations", { body: LEAST });
  expect(data?.status).toBe("pending");
});

const USES = {
  "hey-api": `
import { createClient } from "./hey-api/client";
import { createVideoGeneration } from "./hey-api";
export async function create(baseUrl: string, auth: string) {
  const client = createClient({ baseUrl, auth });
  const { data, error } = await createVideoGeneration({ client, body: ${JSON.stringify(LEAST)} });
  return data?.status ?? error?.error.code;
}`,
  orval: `
import { createVideoGeneration } from "./orval";
export async function create(_baseUrl: string, key: string) {
  const headers = { authorization: "Bearer " + key };
  const { data } = await createVideoGeneration(${JSON.stringify(LEAST)}, { headers });
  return "status" in data ? data.status : data.error.code;
}`,
} as const;

/** One process for both. */
const MAIN = `
const [, , baseUrl, key, ...generators] = process.argv;
const creates = generators.map((generator: string) => require("./use-" + generator).create(baseUrl, key));
Promise.all(creates).then((statuses) => process.stdout.write(JSON.stringify(statuses)));
`;

const run = promisify(execFile);
const folder = folderForTests();

// Both programs take ten seconds, and seldom differ from the one above.
it.runIf(isLong)("the clients of hey-api and orval do so too", { timeout: 240_000 }, async () => {
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
  const output = { target: "orval.ts", client: "fetch", baseUrl: baseUrl() };
  const orval = { input: "openapi.json", output: { ...output, override: { contentType } } };
  await writeFile(
    join(folder, "orval.config.cjs"),
    `module.exports = ${JSON.stringify({ media: orval })};`,
  );
  await Promise.all([
    tool("openapi-ts", "--input", "openapi.json", "--output", "hey-api"),
    tool("orval", "--config", "orval.config.cjs"),
  ]);
  const settings = ["--module", "nodenext", "--target", "es2022"];
  const flags = [...settings, "--strict", "--skipLibCheck", "--types", "node", "main.ts"];
  const generators = Object.keys(USES);
  const files = generators.map((name) => `use-${name}.ts`);
  const tsc = resolve("node_modules/typescript-7/bin/tsc");
  await run(process.execPath, [tsc, ...flags, ...files], { cwd: folder }).catch(
    (error: { stdout: string }) => {
      throw new Error(`the clients do not compile:\n${error.stdout}`);
    },
  );
  const args = ["main.js", baseUrl(), await newKey(), ...generators];
  const { stdout } = await run(process.execPath, args, { cwd: folder });
  expect(JSON.parse(stdout)).toEqual(["pending", "pending"]);
});
