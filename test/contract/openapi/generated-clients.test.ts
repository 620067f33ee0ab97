/** Clients and tools of agents that programs of others make of the served document compile, and create videos. */
import { execFile } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newCustomer } from "../../support/customer.ts";
import { pick, PASSED_ON } from "../../support/own-environment.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";
import { publicOperations as operations } from "./document.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
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

/** openapi-mcp-server 1.16.1 leaves a reference as it is where it is the items of a list that may be null. */
const UNRESOLVED = '"$ref":"#/components/schemas/ReferenceImage"';

describe("a generated client", () => {
  const stack = new AsyncDisposableStack();
  let service: SharedService;
  let key: string;
  let folder: string;
  const tool = (name: string, ...args: string[]) =>
    run(resolve("node_modules/.bin", name), args, { cwd: folder });
  beforeAll(async () => {
    service = await sharedService();
    key = await (await newCustomer(service)).key("test");
    folder = stack.use(await temporaryFolder()).path;
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
  }, 240_000);
  afterAll(() => stack.disposeAsync());

  it("of each program (hey-api and orval in long runs) creates a video with model and prompt alone", async () => {
    const args = ["main.js", `${service.url}/v1`, key, ...generators];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(generators.map(() => "pending"));
  });

  it("of openapi-mcp-server has a tool for each operation, which takes its parameters and examples, and creates a video", async () => {
    await using agent = await agentTools(service.url, key);
    const { tools } = await agent.listTools();
    const nameOf = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const names = tools.map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(operations.map(({ id }) => nameOf(id))));
    expect(names).toHaveLength(operations.length);
    const schemas = new Ajv2020({ strict: false, validateFormats: false });
    for (const { id, parameters, body } of operations) {
      const { description, inputSchema } = tools.find(({ name }) => name === nameOf(id)) ?? {};
      expect(description?.length).toBeGreaterThan(10);
      const text = JSON.stringify(inputSchema).replace(UNRESOLVED, "");
      // Agents are shown the schema alone: nothing in it points elsewhere.
      expect(text).not.toContain("$ref");
      const accepts = schemas.compile(JSON.parse(text) as object);
      const given = Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
      expect(Object.keys(inputSchema?.properties ?? {})).toEqual(
        expect.arrayContaining(Object.keys(given)),
      );
      // The input of a file is no JSON.
      for (const example of id === "createFile" ? [] : (body?.examples ?? [{}]))
        expect([id, accepts({ ...given, ...example }), accepts.errors]).toEqual([id, true, null]);
    }
    const created = await agent.callTool({
      name: "create-video-generation",
      arguments: { model: "alpha-2.0", prompt: "a cat", "Idempotency-Key": "of-an-agent" },
    });
    const { id, status } = JSON.parse((created.content as [{ text: string }])[0].text) as {
      id: string;
      status: string;
    };
    expect(status).toBe("pending");
    const name = "retrieve-video-generation";
    const read = await agent.callTool({ name, arguments: { id } });
    expect((read.content as [{ text: string }])[0].text).toContain(id);
  });
});

/** The tools that openapi-mcp-server makes of the document at `url`, which is without /v1, as an agent has them. */
async function agentTools(url: string, key: string): Promise<Client & AsyncDisposable> {
  const args = [
    resolve("node_modules/@ivotoby/openapi-mcp-server/bin/mcp-server.js"),
    `--openapi-spec=${url}/openapi.json`,
    `--api-base-url=${url}/v1`,
    `--headers=Authorization:Bearer ${key}`,
    "--disable-abbreviation=true",
  ];
  const env = pick(process.env, PASSED_ON);
  const agent = new Client({ name: "a test", version: "1.0.0" });
  await agent.connect(
    new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }),
  );
  return Object.assign(agent, { [Symbol.asyncDispose]: () => agent.close() });
}
