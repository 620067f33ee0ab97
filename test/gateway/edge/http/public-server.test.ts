/** The public port: health, documents, assets, its stop, and what TLS changes: URLs and cookies. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent as PlainAgent, request, type IncomingMessage, type ServerResponse } from "node:http";
import { Agent } from "node:https";
import { connect, type Socket } from "node:net";
import { text as wholeText } from "node:stream/consumers";
import { setImmediate as endOfTurn } from "node:timers/promises";
import Fastify from "fastify";
import { parse } from "yaml";
import { isPlainLoopback } from "../../../../services/gateway/domain/requests.ts";
import { assets, storedFiles } from "../../../../services/gateway/edge/http/stored-files.ts";
import { LIMITS } from "#runtime/postgres/limits.ts";
import { randomId } from "#runtime/id.ts";
import { createAuthority } from "../../../support/certificates.ts";
import { startDatabaseProxy } from "../../../support/tcp-proxy.ts";
import { testDatabase } from "../../../support/database.ts";
import { forTests } from "../../../support/for-tests.ts";
import { startHttp } from "../../../support/http-server.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { sendByNode } from "../../../support/send-by-node.ts";
import { folderForTests } from "../../../support/temporary-folder.ts";
import { PASSWORD } from "../../dashboard/browser.ts";
import { startHarness, useHarness } from "../../harness.ts";
import { errorOf, headersOf } from "../../requests.ts";

const documentPath = new URL("../../../../openapi/media.yaml", import.meta.url);

const file = Buffer.from("0123456789");
/** What the gateway asked delivery for. */
const seen: IncomingMessage[] = [];
const serve = (request: IncomingMessage, response: ServerResponse) => {
  seen.push(request);
  response.setHeader("etag", '"tag"').setHeader("cache-control", "public, immutable");
  if (request.method === "OPTIONS") {
    return response.writeHead(204, { "access-control-allow-headers": "range" }).end();
  }
  if (request.url === "/assets/absent") return response.writeHead(404).end();
  if (request.url === "/assets/deleted") return response.writeHead(410).end();
  if (request.url === "/assets/later") return response.writeHead(503, { "retry-after": "5" }).end();
  if (request.url === "/assets/endless") return response.writeHead(200).write(file);
  if (request.headers["if-none-match"] === '"tag"') return response.writeHead(304).end();
  const range = /bytes=(\d)-(\d)/.exec(request.headers.range ?? "");
  if (!range) return response.setHeader("content-length", 10).end(file);
  const [, from = "0", to = "0"] = range;
  const part = file.subarray(Number(from), Number(to) + 1);
  return response.writeHead(206, { "content-range": `bytes ${from}-${to}/10` }).end(part);
};

const delivery = forTests(() => startHttp(serve));
const harness = useHarness(async () => ({
  config: { deliveryAssetsUrls: [`${delivery.url}/assets`] },
}));

describe("the service", () => {
  it("serves health, readiness and the exact document without authentication", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const response = await harness.send(path);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ status: "ok" });
    }
    const text = await readFile(documentPath, "utf8");
    const yaml = await harness.send("/openapi.yaml");
    const json = await harness.send("/openapi.json");
    expect(yaml.headers.get("content-type")).toContain("application/yaml");
    expect(json.headers.get("content-type")).toContain("application/json");
    const served = await yaml.text();
    expect(served).toBe(text.replace("- url: /v1", `- url: ${harness.url}/v1`));
    expect(await json.json()).toEqual(parse(served));
  });

  it("takes on a burst of connections within fewer turns of its event loop than it has connections", async () => {
    const sockets = Array.from({ length: 64 }, () => connect(Number(new URL(harness.url).port)));
    let turns = 0;
    const turn = () => {
      turns += 1;
      // A turn as long as those of a busy process: what it leads to is there in the next one.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      next = setImmediate(turn);
    };
    let next = setImmediate(turn);
    const answers = sockets.map(async (socket) => {
      socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return String(await once(socket, "data"));
    });
    for (const answer of await Promise.all(answers)) expect(answer).toContain("200 OK");
    clearImmediate(next);
    for (const socket of sockets) socket.destroy();
    expect(turns).toBeLessThan(sockets.length / 2);
  });
});

describe("the service without Postgres", () => {
  const database = forTests(() => testDatabase("gateway"));
  const proxy = forTests(() => startDatabaseProxy(database.url));
  const without = useHarness(async () => ({
    config: { databaseUrl: proxy.through(database.url) },
  }));

  it("that hangs refuses at once by every API after two looks, and serves pages", async () => {
    const answerAt = async (path: string) => {
      const before = performance.now();
      const { status, headers: answered } = await without.get(path);
      const isQuick = performance.now() - before < LIMITS.connect;
      return { status, isQuick, hasRetryAfter: answered.has("retry-after") };
    };
    expect((await without.get("/v1/requests")).status).toBe(200);
    proxy.hang();
    const refused = { status: 503, isQuick: true, hasRetryAfter: true };
    await expect.poll(() => answerAt("/v1/requests")).toEqual(refused);
    const paths = ["/v1/models", "/mcp", "/openai/v1/models", "/dashboard/api/session"];
    for (const path of paths) expect(await answerAt(path)).toEqual(refused);
    expect((await without.send("/docs")).status).toBe(200);
  });

  it("that is gone is alive but not ready, and cannot verify keys", async () => {
    await proxy[Symbol.asyncDispose]();
    await expect.poll(async () => (await without.send("/readyz")).status).toBe(503);
    expect((await without.send("/healthz")).status).toBe(200);
    const key = "mgs_live_000000000000000000000000000000003x1oxB";
    for (const path of ["/readyz", "/v1/balance"]) {
      const response = await without.send(path, { headers: headersOf(key) });
      expect(response.headers.has("retry-after")).toBe(true);
      expect(await errorOf(response)).toMatchObject({ status: 503, code: "unavailable" });
    }
    expect(without.logLines).toContainEqual(
      expect.objectContaining({ level: "error", msg: "API key lookup unavailable" }),
    );
  });
});

describe("assets", () => {
  it("are proxied as delivery serves them: whole, ranges, not modified, HEAD and absent", async () => {
    const path = "/assets/a/0.mp4";
    const whole = await harness.send(`${path}?download=1`);
    expect(whole.headers.get("etag")).toBe('"tag"');
    expect(whole.headers.get("cache-control")).toBe("public, immutable");
    expect(whole.headers.get("request-id")).toMatch(/^req_/);
    expect([whole.status, await whole.text()]).toEqual([200, "0123456789"]);
    expect(seen.at(-1)?.url).toBe(`${path}?download=1`);
    const part = await harness.send(path, { headers: { range: "bytes=2-4" } });
    expect(part.headers.get("content-range")).toBe("bytes 2-4/10");
    expect([part.status, await part.text()]).toEqual([206, "234"]);
    const asked = { "access-control-request-method": "GET", "if-match": '"other"' };
    const preflight = await harness.send(path, { method: "OPTIONS", headers: asked });
    expect(preflight.headers.get("access-control-allow-headers")).toBe("range");
    expect(preflight.status).toBe(204);
    expect(seen.at(-1)?.headers).toMatchObject(asked);
    const head = await harness.send(path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length")]).toEqual([200, "10"]);
    const headers = { "if-none-match": '"tag"' };
    expect((await harness.send(path, { headers })).status).toBe(304);
    for (const [absent, status, code] of [
      ["/assets/absent", 404, "route_not_found"],
      ["/assets/deleted", 410, "gone"],
    ] as const) {
      const refused = await harness.send(absent);
      expect(refused.headers.get("etag")).toBe('"tag"');
      expect(await errorOf(refused)).toMatchObject({ status, code });
      expect((await harness.send(absent, { method: "HEAD" })).status).toBe(status);
    }
  });

  it("are requested without the client's credentials, and no other path of delivery is reachable", async () => {
    const headers = ["Authorization: Bearer x", "Cookie: a=b", "Expect: 100-continue"];
    const ofConnection = ["Connection: close", "Keep-Alive: timeout=5", "Upgrade: h2c"];
    const socket = connect(Number(new URL(harness.url).port), "127.0.0.1");
    const lines = ["GET /assets/a HTTP/1.1", "Host: localhost", ...headers, ...ofConnection];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    // Ends when the server closes the connection, as it was asked to.
    const answer = await wholeText(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/ims);
    expect(answer).not.toMatch(/^keep-alive:/im);
    expect(Object.keys(seen.at(-1)?.headers ?? {}).toSorted()).toEqual([
      "connection",
      "host",
      "x-request-id",
    ]);
    const before = seen.length;
    for (const path of ["%2e%2e/secret", "..%2fsecret", "%2e%2e%2fsecret"])
      expect((await harness.send(`/assets/${path}`)).status).toBe(404);
    const urls = seen.slice(before).map(({ url }) => url);
    expect(urls.filter((url) => !url?.startsWith("/assets/"))).toEqual([]);
  });

  it("are asked for once while they cannot be read, and not read on when the client has left", async () => {
    const before = seen.length;
    const later = await harness.send("/assets/later");
    expect(await errorOf(later)).toMatchObject({ status: 503, code: "unavailable" });
    expect(seen.length).toBe(before + 1);
    const client = new AbortController();
    const { signal } = client;
    await harness.send("/assets/endless", { signal });
    const left = once(seen.at(-1)?.socket as Socket, "close");
    client.abort();
    await left;
  });

  it("are asked for at the next replica once one does not answer, and there at once from then on", async () => {
    let unanswered = 0;
    await using frozen = await startHttp(() => void (unanswered += 1));
    await using app = Fastify();
    await using files = storedFiles([`${frozen.url}/assets`, `${delivery.url}/assets`], 50);
    await app.register(assets(files));
    for (let asked = 0; asked < 2; asked += 1) {
      expect((await app.inject("/assets/a/0.mp4")).body).toBe("0123456789");
    }
    expect(unanswered).toBe(1);
  });
});

describe("the public port with a certificate", () => {
  const publicUrl = "https://media.example.com";
  const folder = folderForTests();
  const agent = new Agent();
  const secure = useHarness(async () => {
    const authority = createAuthority(folder);
    const { certFile, keyFile } = authority.issue("localhost");
    const [cert, key] = await Promise.all([readFile(certFile, "utf8"), readFile(keyFile, "utf8")]);
    agent.options.ca = await readFile(authority.caFile);
    return { config: { tls: { cert, key }, publicUrl, assetBaseUrl: undefined } };
  });
  const send = (path: string, body: object, headers: Record<string, string>) => {
    const init = { agent, method: "POST", headers };
    const text = JSON.stringify(body);
    return sendByNode(`${secure.localUrl}${path}`, init, (sent) => sent.end(text));
  };

  it("has an https URL of its own and HSTS", async () => {
    expect(secure.localUrl).toMatch(/^https:\/\/localhost:\d+$/);
    const { status, headers } = await sendByNode(`${secure.localUrl}/healthz`, { agent });
    expect([status, headers["strict-transport-security"]]).toEqual([200, "max-age=31536000"]);
  });

  it("sets with a sign-in no cookie that is sent without TLS, read by scripts or sent by other sites", async () => {
    const user = { name: "Person", email: "tls@example.com", password: PASSWORD };
    const of = { origin: publicUrl, "content-type": "application/json" };
    const { status, headers } = await send("/dashboard/api/auth/sign-up", user, of);
    expect([status, headers["cache-control"]]).toEqual([201, "no-store"]);
    const cookies = headers["set-cookie"] ?? [];
    expect(cookies.map((cookie) => cookie.split("=")[0])).toEqual([
      "__Secure-media.session_token",
      "media.browser",
    ]);
    for (const cookie of cookies) {
      for (const attribute of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/dashboard"])
        expect(cookie).toMatch(new RegExp(`; ${attribute}(;|$)`));
    }
  });

  it("answers files below the public URL when no other base is set", async () => {
    expect(secure.url).toBe(publicUrl);
    const image = { model: "m", prompt: "a" };
    const { body } = await send("/v1/images/generations", image, headersOf(secure.key.secret));
    const output = [{ url: `${publicUrl}/assets/a/igen/0.png` }];
    expect(JSON.parse(body)).toMatchObject({ output });
  });
});

it.each([
  [false, "http://localhost:8080"],
  [false, "http://[::1]:8080"],
  [true, "https://media.example.com"],
  [true, "http://media.example.com"],
  [true, "http://127.0.0.1.example.com"],
])("the session's cookie is Secure: %s, for %s", (isSecure, publicUrl) => {
  expect(isPlainLoopback(publicUrl)).toBe(!isSecure);
});

const LAME_DUCK_MS = 3_000;

it("while the gateway stops, says on every connection that it closes them and is not ready, then takes nothing new and answers what came before", async () => {
  const clock = manualClock();
  const harness = await startHarness({ clock, config: { lameDuckMs: LAME_DUCK_MS } });
  const agent = new PlainAgent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const alive = async () => {
    const { status, headers, isReused } = await sendByNode(`${harness.url}/healthz`, { agent });
    return [status, headers.connection, isReused];
  };
  await alive();
  expect(await alive()).toEqual([200, "keep-alive", true]);
  expect((await harness.send("/readyz")).status).toBe(200);
  const key = await harness.newKey();
  const body = JSON.stringify({ model: "gamma-image-3.0-pro", prompt: "a cat" });
  const sent = request(`${harness.url}/v1/images/generations`, {
    method: "POST",
    headers: { ...headersOf(key.secret), "Content-Length": body.length, Expect: "100-continue" },
  });
  sent.flushHeaders();
  await once(sent, "continue");
  const headers = headersOf(key.secret, { prefer: "wait=60" });
  const waits = harness.send(`/v1/videos/generations/${randomId("vgen")}`, { headers });
  await expect.poll(() => harness.calls.length).toBe(1);

  const halfSent = [1, 2, 3, 4].map(() => connect(Number(new URL(harness.url).port)));
  for (const socket of halfSent) socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n");

  let hasStopped = false;
  const stopped = harness[Symbol.asyncDispose]().then(() => (hasStopped = true));
  expect(await alive()).toEqual([200, "close", true]);
  expect(await alive()).toEqual([200, "close", false]);
  const notReady = await harness.send("/readyz");
  expect([notReady.status, await notReady.json()]).toEqual([404, { status: "stopping" }]);
  clock.advance(LAME_DUCK_MS);
  await expect.poll(async () => (await harness.send("/v1/models")).status).toBe(503);
  expect((await harness.send("/readyz")).status).toBe(404);
  expect(await (await waits).json()).toMatchObject({ status: "pending" });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(200);
  for (let turn = 0; turn < 100; turn += 1) await endOfTurn();
  expect(hasStopped).toBe(false);
  for (const socket of halfSent) {
    socket.write("\r\n");
    expect(String(await once(socket, "data"))).toContain("Connection: close");
  }
  await stopped;
  await expect(alive()).rejects.toThrow("ECONNREFUSED");
});
