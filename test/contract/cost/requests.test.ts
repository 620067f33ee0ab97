/** What the service parses itself, in headers and in large bodies: JSON, messages of MCP, data URLs, forms and pictures. */
import { Agent } from "node:http";
import { Readable } from "node:stream";
import { allowNone } from "#runtime/address.ts";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createShutdown } from "#runtime/shutdown.ts";
import { startAssetServer } from "../../../services/delivery/asset-server/asset-server.ts";
import { markedBy } from "../../../services/delivery/media/provenance.ts";
import { inspectPicture } from "../../../services/delivery/media/inspect.ts";
import type { ObjectStore } from "../../../services/delivery/storage/object-store.ts";
import { createCheckers } from "../../../services/gateway/edge/validation/checker.ts";
import { MAX_MCP_BODY_BYTES } from "../../../services/gateway/edge/mcp/mcp.ts";
import { useHarness } from "../../gateway/harness.ts";
import { forTests } from "../../support/for-tests.ts";
import { sendByNode } from "../../support/send-by-node.ts";
import { isLong } from "../../support/test-size.ts";
import { operations, type Operation } from "../openapi/document.ts";
import { costFault } from "./cost.ts";
import {
  HOSTILE_DATA_URLS,
  HOSTILE_JSON,
  HOSTILE_PICTURES,
  hostileForms,
} from "./hostile-requests.ts";
import { hostileTexts, type HostileText } from "./hostile-texts.ts";

// Many inputs a test; what is measured does not depend on how long they wait for a processor.
vi.setConfig({ testTimeout: 300_000 });

const MAX_PIXELS = 100_000_000;
const BOUNDARY = "--x";
/** Node accepts 16 KiB of path and headers. */
const HEADER_BYTES = 15_000;
const TOO_LONG = 431;
/** Long runs try the largest bodies, all others a quarter: in less, more squares pass costFault as noise. */
const SHARE = isLong ? 1 : 4;

const assets = forTests(() => {
  const own: Partial<ObjectStore> = {
    head: async () => ({ bytes: 1_000, contentType: "image/png" }),
    get: async () => Readable.from([Buffer.alloc(1_000)]),
  };
  const store = own as ObjectStore;
  const shutdown = createShutdown({ lameDuckMs: 0, drainMs: 0 }, systemClock);
  return startAssetServer({ host: "127.0.0.1", port: 0, store, shutdown });
});
const harness = useHarness(async () => ({
  config: {
    assetBaseUrl: "http://localhost:9/assets",
    deliveryAssetsUrls: [assets.url],
    trustedProxies: ["127.0.0.1"],
  },
}));
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

beforeAll(async () => {
  // A request that is refused for its rate is not read on.
  await harness.owner`update gateway.accounts set creates_per_minute = 0, reads_per_minute = 0`;
});

const authorization = () => `Bearer ${harness.key.secret}`;

type Sent = {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

async function send({ path, method = "GET", headers = {}, body = "" }: Sent): Promise<number> {
  const all = { ...headers, "content-length": Buffer.byteLength(body) };
  const init = { method, agent, headers: all };
  const { status } = await sendByNode(harness.localUrl + path, init, (sent) => sent.end(body));
  if (status === TOO_LONG) throw new Error("Node refused the headers");
  return status;
}

const post = (path: string, type: string, body: string | Buffer) => {
  const accept = "application/json, text/event-stream";
  const headers = { authorization: authorization(), "content-type": type, accept };
  return send({ path, method: "POST", headers, body });
};

/** Requests whose headers are right, and which between them reach every reader of a header. */
function requests(): Record<string, Sent> {
  const key = { authorization: authorization() };
  const origin = harness.localUrl;
  const json = { ...key, "content-type": "application/json", "content-encoding": "identity" };
  const forwarded = {
    "request-id": "request_1",
    "x-forwarded-for": "192.0.2.1",
    "x-forwarded-host": "example.com",
    "x-forwarded-proto": "https",
  };
  const asset = "/assets/a.png";
  const video = `/v1/videos/generations/${randomId("vgen")}`;
  const signOut = { path: "/dashboard/api/auth/sign-out", method: "POST" };
  const cookie = "media.session_token=a.b; media.two_factor=a.b";
  return {
    index: { path: "/", headers: { accept: "text/html", ...forwarded } },
    guide: { path: "/docs", headers: { "if-none-match": '"a"', "accept-encoding": "gzip" } },
    asset: { path: asset, headers: { "if-range": '"a"', "if-none-match": 'W/"a"' } },
    range: { path: asset, headers: { range: "bytes=0-9" } },
    read: { path: video, headers: { ...key, prefer: "wait=0" } },
    create: {
      path: "/v1/videos/generations",
      method: "POST",
      headers: { ...json, "idempotency-key": "a" },
      body: "{}",
    },
    tool: { path: "/mcp", method: "POST", headers: { ...json, origin }, body: "{}" },
    upload: {
      path: "/v1/files",
      method: "POST",
      headers: { ...key, "content-type": "multipart/form-data; boundary=x" },
      body: "--x--",
    },
    session: { path: "/dashboard/api/session", headers: { cookie, "user-agent": "a" } },
    signIn: { ...signOut, headers: { origin, cookie: "media.session_token=a.b" } },
    site: { ...signOut, headers: { "sec-fetch-site": "same-origin" } },
  };
}

it("the headers of requests cost no more than they are long", async () => {
  const faults: string[] = [];
  const statuses: Record<string, number> = {};
  const tried = new Set<string>();
  for (const [kind, request] of Object.entries(requests())) {
    statuses[kind] = await send(request);
    for (const [name, example] of Object.entries(request.headers ?? {})) {
      // What several requests have in common is read by the same code.
      if (tried.has(name + example)) continue;
      tried.add(name + example);
      const texts = hostileTexts({ examples: [example], end: "!" });
      for (const text of texts.filter(({ of }) => of(1).startsWith(example))) {
        const input = (size: number) => text.of(size - 200).trim();
        const read = (value: string) =>
          send({ ...request, headers: { ...request.headers, [name]: value } });
        const fault = await costFault({ input, read }, HEADER_BYTES);
        if (fault !== undefined) faults.push(`${name} of ${kind}: ${text.name} ${fault}`);
      }
    }
  }
  // Those whose handlers read headers after they have looked at the rest.
  const served = { index: 302, guide: 200, asset: 200, range: 206, read: 200, session: 200 };
  expect(statuses).toMatchObject(served);
  expect(faults).toEqual([]);
});

it("the paths of pages cost no more than they are long", async () => {
  const read = (slashes: string) => send({ path: `/docs/${slashes}x` });
  expect(await costFault({ input: (n) => "/".repeat(n), read }, HEADER_BYTES)).toBeUndefined();
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
  const read = (body: string) => post(pathOf(create), "application/json", body);
  expect(await faultsOf(HOSTILE_JSON, create.maxBodyBytes - ROOM, read)).toEqual([]);
});

it("a data URL in the JSON of a create costs no more than it is long", async () => {
  const create = operation("openaiCreateVideo");
  const read = (body: string) => post(pathOf(create), "application/json", body);
  const before = '{"model":"alpha-2.0","prompt":"a cat","input_reference":{"image_url":';
  const bodies = inBody(HOSTILE_DATA_URLS, before, "}}");
  expect(await faultsOf(bodies, create.maxBodyBytes - ROOM, read)).toEqual([]);
});

it("a message of MCP costs no more than it is long", async () => {
  const read = (body: string) => post("/mcp", "application/json", body);
  const before =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"generate_video","arguments":{"model":"alpha-2.0","prompt":"a cat","image_url":';
  const calls = inBody(HOSTILE_DATA_URLS, before, "}}}");
  const beforePrompt = before.slice(0, before.indexOf('"a cat"'));
  const long = { name: "a long prompt", of: (n: number) => `"${"a".repeat(n)}"` };
  const prompts = inBody([long], beforePrompt, "}}}");
  expect(await post("/mcp", "application/json", `${before}"a"}}}`)).toBe(200);
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
  const read = (body: Buffer) => post(pathOf(create), type, body);
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
