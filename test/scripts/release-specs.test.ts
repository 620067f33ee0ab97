/** The specs are compared with their newest release, and with nothing before the first. */
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkDocument, checkProtos, releaseSpecs } from "../../scripts/release-specs.mjs";
import { temporaryFolder } from "../support/temporary-folder.ts";

const DOCUMENT = `openapi: 3.1.0
info: { title: Example, version: 1.0.0 }
paths:
  /things: { get: { operationId: listThings, responses: { "200": {} } } }
`;
const PROTO = 'syntax = "proto3";\npackage example.v1;\nmessage Thing { string id = 1; }\n';

async function specs() {
  const folder = await temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  const folders = ["openapi", "proto/example/v1", "services/billing/migrations"];
  for (const name of folders) await mkdir(at(name), { recursive: true });
  await writeFile(at("buf.yaml"), "version: v2\nmodules: [{ path: proto }]\n");
  await writeFile(at("openapi/media.yaml"), DOCUMENT);
  await writeFile(at("proto/example/v1/example.proto"), PROTO);
  const change = async (path: string, from: string, to: string) => {
    const text = await readFile(at(path), "utf8");
    await writeFile(at(path), text.replace(from, to));
  };
  return {
    ...folder,
    at,
    change,
    check: async () => [checkDocument(folder.path), await checkProtos(folder.path)],
  };
}

const PROTO_FILE = "proto/example/v1/example.proto";

it("may change in any way before the first release; the next one keeps its promises, or is refused", async () => {
  await using tree = await specs();
  const released = () => readdir(tree.at("openapi/released"));
  expect(await tree.check()).toMatchObject([{ ok: true }, { ok: true }]);
  expect(await releaseSpecs(tree.path)).toBeUndefined();
  await appendFile(tree.at("openapi/media.yaml"), "  /more: { get: { responses: {} } }\n");
  expect(await releaseSpecs(tree.path)).toMatchObject({
    output: "1.0.0 is released and differs: raise info.version first",
  });
  await tree.change("openapi/media.yaml", "1.0.0", "1.1.0");
  await tree.change(PROTO_FILE, "string id = 1", "int32 id = 1");
  expect(await releaseSpecs(tree.path)).toMatchObject({
    ok: false,
    output: expect.stringContaining('"id"'),
  });
  expect(await released()).toEqual(["1.0.0.yaml"]);
  await tree.change(PROTO_FILE, "int32 id = 1", "string id = 1; string name = 2");
  expect(await releaseSpecs(tree.path)).toBeUndefined();
  expect(await released()).toEqual(["1.1.0.yaml"]);
  await tree.change("openapi/media.yaml", "/things", "/items");
  expect(checkDocument(tree.path)).toMatchObject({
    ok: false,
    output: expect.stringContaining("/things"),
  });
});
