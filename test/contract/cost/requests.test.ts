/** What the service parses itself, in large bodies: JSON, messages of MCP, data URLs, forms and pictures. */
import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { markedBy } from "../../../services/delivery/media/provenance.ts";
import { inspectPicture } from "../../../services/delivery/media/inspect.ts";
import { allowNone } from "#runtime/address.ts";
import { createCheckers } from "../../../services/gateway/edge/validation/checker.ts";
import { MAX_MCP_BODY_BYTES } from "../../../services/gateway/edge/mcp/mcp.ts";
import { useHarness } from "../../gateway/harness.ts";
import { operations, type Operation } from "../openapi/document.ts";
import { costFault } from "./cost.ts";
import {
  HOSTILE_DATA_URLS,
  HOSTILE_JSON,
  HOSTILE_PICTURES,
  hostileForms,
} from "./hostile-requests.ts";
import type { HostileText } from "./hostile-texts.ts";
import { isLong } from "../../support/test-size.ts";

// Many inputs a test; what is measured does not depend on how long they wait for a processor.
vi.setConfig({ testTimeout: 300_000 });

const MAX_PIXELS = 100_000_000;
const BOUNDARY = "--x";
/** Long runs try the largest bodies, all others a quarter: what grows faster than its input does so there too. */
const SHARE = isLong ? 1 : 4;

const harness = useHarness({ config: { assetBaseUrl: "http://localhost:9/assets" } });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

beforeAll(async () => {
  // A request that is refused for its rate is not read on.
  await harness.owner`update gateway.accounts set creates_per_minute = 0, reads_per_minute = 0`;
});

const send = (path: string, type: string, body: string | Buffer) =>
  new Promise<number>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${harness.key.secret}`,
      "content-type": type,
      "content-length": Buffer.byteLength(body),
      accept: "application/json, text/event-stream",
    };
    const sent = request(`${harness.localUrl}${path}`, { method: "POST", agent, headers });
    sent.once("response", (answer) =>
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0)),
    );
    sent.once("error", reject).end(body);
  });

/** The faults of bodies of that size at the most. */
async function faultsOf<Input extends string | Buffer>(
  inputs: readonly { name: string; of: (length: number) => Input }[],
  size: number,
  read: (input: Input) => unknown,
): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, of } of inputs) {
    const fault = await costFault({ input: of, read }, size / SHARE);
    if (fault !== undefined) faults.push(`${name} of ${size / SHARE} bytes ${fault}`);
  }
  return faults;
}

const operation = (id: string) => operations.find((one) => one.id === id) as Operation;
const pathOf = ({ prefix, path }: Operation) => prefix + path;

/** Around a value of a body, less than this. */
const ROOM = 1_000;

const inBody = (texts: readonly HostileText[], before: string, after: string): HostileText[] =>
  texts.map(({ name, of }) => ({ name, of: (n) => `${before}${of(n)}${after}` }));

it("the JSON of a create costs no more than it is long", async () => {
  const create = operation("createVideoGeneration");
  const read = (body: string) => send(pathOf(create), "application/json", body);
  expect(await faultsOf(HOSTILE_JSON, create.maxBodyBytes - ROOM, read)).toEqual([]);
});

it("a data URL in the JSON of a create costs no more than it is long", async () => {
  const create = operation("openaiCreateVideo");
  const read = (body: string) => send(pathOf(create), "application/json", body);
  const before = '{"model":"alpha-2.0","prompt":"a cat","input_reference":{"image_url":';
  const bodies = inBody(HOSTILE_DATA_URLS, before, "}}");
  expect(await faultsOf(bodies, create.maxBodyBytes - ROOM, read)).toEqual([]);
});

it("a message of MCP costs no more than it is long", async () => {
  const read = (body: string) => send("/mcp", "application/json", body);
  const before =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"generate_video","arguments":{"model":"alpha-2.0","prompt":"a cat","image_url":';
  const calls = inBody(HOSTILE_DATA_URLS, before, "}}}");
  const beforePrompt = before.slice(0, before.indexOf('"a cat"'));
  const long = { name: "a long prompt", of: (n: number) => `"${"a".repeat(n)}"` };
  const prompts = inBody([long], beforePrompt, "}}}");
  expect(await send("/mcp", "application/json", `${before}"a"}}}`)).toBe(200);
  expect(await faultsOf([...prompts, ...calls], MAX_MCP_BODY_BYTES - ROOM, read)).toEqual([]);
});

it("what is told of a long text costs no more than it is long", async () => {
  const checkerFor = createCheckers(allowNone, () => "", String);
  const check = checkerFor("body", {
    properties: { prompt: { type: "string", maxLength: 5_000 } },
  });
  const read = (prompt: string) => check({ prompt });
  expect(read("a".repeat(5_001))).toMatchObject([{ code: "too_long", param: "prompt" }]);
  const input = (size: number) => "a".repeat(size);
  expect(await costFault({ input, read }, MAX_MCP_BODY_BYTES)).toBeUndefined();
});

// All forms have the same reader.
it("a form costs no more than it is long", async () => {
  const create = operation("createFile");
  const type = `multipart/form-data; boundary=${BOUNDARY}`;
  const read = (body: Buffer) => send(pathOf(create), type, body);
  const size = (create.maxUploadBytes ?? 0) - ROOM;
  expect(await faultsOf(hostileForms(BOUNDARY), size, read)).toEqual([]);
});

it("the header of a picture costs no more than the picture is long", async () => {
  const size = operation("createFile").maxUploadBytes ?? 0;
  const read = async (content: Buffer) => {
    const found = await inspectPicture(content, MAX_PIXELS);
    return "fault" in found ? found : markedBy("embed", found.marks);
  };
  const faults = await faultsOf(HOSTILE_PICTURES, size - ROOM, read);
  expect(faults).toEqual([]);
});
