/** The headers that the gateway and the asset server read, against values that are made to be expensive. */
import { writeFile } from "node:fs/promises";
import { Agent, request as sendHttp } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fastify } from "fastify";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { systemClock } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { createShutdown } from "#runtime/shutdown.ts";
import { startAssetServer } from "../../../services/delivery/asset-server/asset-server.ts";
import type { ObjectStore } from "../../../services/delivery/storage/object-store.ts";
import { pages } from "../../../services/gateway/dashboard/pages.ts";
import { useHarness } from "../../gateway/harness.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { costFault } from "./cost.ts";
import { hostileTexts } from "./hostile-texts.ts";

// Many inputs a test; what is measured does not depend on how long they wait for a processor.
vi.setConfig({ testTimeout: 300_000 });

/** Node accepts 16 KiB of path and headers. */
const HEADER_BYTES = 15_000;
const TOO_LONG = 431;

const stack = new AsyncDisposableStack();
const harness = useHarness(async () => {
  const store = {
    head: async () => ({ bytes: 1_000, contentType: "image/png" }),
    get: async () => ({ stream: Readable.from([Buffer.alloc(1_000)]) }),
  } as unknown as ObjectStore;
  const shutdown = createShutdown({ lameDuckMs: 0, drainMs: 0 }, systemClock);
  const assets = stack.use(await startAssetServer({ host: "127.0.0.1", port: 0, store, shutdown }));
  return { config: { deliveryAssetsUrls: [assets.url], trustedProxies: ["127.0.0.1"] } };
});

/** The dashboard's pages as if they were built. */
let pagesUrl: string;
beforeAll(async () => {
  // A request that is refused for its rate is not read on.
  await harness.owner`update gateway.accounts set creates_per_minute = 0, reads_per_minute = 0`;
  const { path: directory } = stack.use(await temporaryFolder());
  await writeFile(join(directory, "index.html"), "");
  await writeFile(join(directory, "page.css"), "a{}".repeat(2_000));
  const app = fastify();
  await app.register(pages(() => "", directory));
  await app.listen({ host: "127.0.0.1", port: 0 });
  stack.defer(() => app.close());
  pagesUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(() => stack.disposeAsync());

type Sent = { url: string; method?: string; headers?: Record<string, string>; body?: string };

/** Requests whose headers are right, and which between them reach every reader of a header. */
function requests(): Record<string, Sent> {
  const { localUrl: base } = harness;
  const authorization = `Bearer ${harness.key.secret}`;
  const json = { "content-type": "application/json", "content-encoding": "identity" };
  const forwarded = {
    "request-id": "request_1",
    "x-forwarded-for": "192.0.2.1",
    "x-forwarded-host": "example.com",
    "x-forwarded-proto": "https",
  };
  return {
    index: { url: `${base}/`, headers: { accept: "text/html", ...forwarded } },
    guide: { url: `${base}/docs`, headers: { "if-none-match": '"a"' } },
    page: { url: `${pagesUrl}/dashboard/page.css`, headers: { "accept-encoding": "gzip" } },
    asset: {
      url: `${base}/assets/a/b.png`,
      headers: { "if-range": '"a"', "if-none-match": 'W/"a"' },
    },
    range: { url: `${base}/assets/a/b.png`, headers: { range: "bytes=0-9" } },
    read: {
      url: `${base}/v1/videos/generations/${randomId("vgen")}`,
      headers: { authorization, prefer: "wait=0" },
    },
    create: {
      url: `${base}/v1/videos/generations`,
      method: "POST",
      headers: { authorization, "idempotency-key": "a", ...json },
      body: "{}",
    },
    tool: {
      url: `${base}/mcp`,
      method: "POST",
      headers: { authorization, origin: base, ...json },
      body: "{}",
    },
    upload: {
      url: `${base}/v1/files`,
      method: "POST",
      headers: { authorization, "content-type": "multipart/form-data; boundary=x" },
      body: "--x--",
    },
    session: {
      url: `${base}/dashboard/api/session`,
      headers: { cookie: "media.session_token=a.b; media.two_factor=a.b", "user-agent": "a" },
    },
    signIn: {
      url: `${base}/dashboard/api/auth/sign-out`,
      method: "POST",
      headers: { origin: base, cookie: "media.session_token=a.b" },
    },
    site: {
      url: `${base}/dashboard/api/auth/sign-out`,
      method: "POST",
      headers: { "sec-fetch-site": "same-origin" },
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
stack.defer(() => agent.destroy());

const send = ({ url, method = "GET", headers = {}, body = "" }: Sent) =>
  new Promise<number>((resolve, reject) => {
    const length = { "content-length": Buffer.byteLength(body) };
    const sent = sendHttp(url, { method, agent, headers: { ...headers, ...length } }, (answer) => {
      if (answer.statusCode === TOO_LONG) reject(new Error("Node refused the headers"));
      answer.resume().once("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.once("error", reject).end(body);
  });

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
        const fault = await costFault(
          {
            input: (size) => text.of(size - 200).trim(),
            read: (value) => send({ ...request, headers: { ...request.headers, [name]: value } }),
          },
          HEADER_BYTES,
        );
        if (fault !== undefined) faults.push(`${name} of ${kind}: ${text.name} ${fault}`);
      }
    }
  }
  // Those whose handlers read headers after they have looked at the rest.
  const served = { index: 302, page: 200, asset: 200, range: 206, read: 200, session: 200 };
  expect(statuses).toMatchObject(served);
  expect(faults).toEqual([]);
});
