/** Routing, request ids and the order of the checks. */
import { request as httpRequest } from "node:http";
import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { loadContract } from "../../../../services/gateway/edge/http/contract.ts";
import { documentRoutes } from "../../../../services/gateway/edge/http/document-routes.ts";
import { uploadMemory } from "../../../../services/gateway/edge/http/json-body.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post } from "../../requests.ts";
import { allowNone } from "#runtime/address.ts";

const CREATE = "/v1/videos/generations";

const harness = useHarness();

const send = (method: string, path: string, more: Record<string, string> = {}) =>
  harness.send(path, { method, headers: headersOf(harness.key.secret, more) });

/** Sends a path that fetch would refuse or change. */
function sendRaw(method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { method, path, headers: { authorization: `Bearer ${harness.key.secret}` } };
    const request = httpRequest(harness.url, options, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (body += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.once("error", reject).end();
  });
}

describe("a path", () => {
  it.each([
    "/",
    "/healthz",
    "/openapi.json",
    "/docs/guides/files",
    "/llms.txt",
    "/dashboard",
    "/assets/a.mp4",
  ])("that exists outside /v1 is 405 for other methods, with Allow: %s", async (path) => {
    // A browser asks before it reads a part of a file.
    const isFile = path.startsWith("/assets/");
    const allow = isFile ? "GET, HEAD, OPTIONS" : "GET, HEAD";
    for (const method of isFile ? ["POST"] : ["POST", "OPTIONS"]) {
      const response = await harness.send(path, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
      expect(await errorOf(response)).toMatchObject({ code: "method_not_allowed" });
    }
  });

  it.each([
    ["POST", `${CREATE}/`],
    ["POST", `${CREATE}//cancel`],
    ["GET", "/v1/models/"],
  ])("that has a slash too many is 404 route_not_found: %s %s", async (method, path) => {
    const response = await send(method, path);
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({ code: "route_not_found" });
  });

  it.each([
    ["PUT", CREATE, "GET, HEAD, POST"],
    ["GET", `${CREATE}/${randomId("vgen")}/cancel`, "POST"],
    ["HEAD", `${CREATE}/${randomId("vgen")}/cancel`, "POST"],
    ["POST", "/v1/mod%65ls", "GET, HEAD"],
    ["PROPFIND", "/v1/balance", "GET, HEAD"],
  ])("has 405 and Allow for an unsupported method: %s %s", async (method, path, allow) => {
    expect((await harness.send(path, { method })).status).toBe(401);
    const response = await send(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    if (method === "HEAD") return;
    expect(await errorOf(response)).toMatchObject({
      type: "invalid_request_error",
      code: "method_not_allowed",
    });
  });

  it("is 404 or 405 before its body is checked", async () => {
    const broken = { method: "POST", body: "x".repeat(300_000) };
    const headers = headersOf(harness.key.secret, { "content-type": "text/plain" });
    const absent = await harness.send("/v1/nope", { ...broken, headers });
    expect(absent.status).toBe(404);
    const wrong = await harness.send("/v1/models", { ...broken, headers });
    expect(wrong.status).toBe(405);
  });

  it("is 404 although its body never ends", async () => {
    const head = {
      authorization: `Bearer ${harness.key.secret}`,
      "content-type": "application/json",
    };
    const status = await new Promise((resolve, reject) => {
      const options = { method: "POST", path: "/v1/nope", headers: head };
      const request = httpRequest(harness.url, options, (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on("error", reject).write('{"model":');
    });
    expect(status).toBe(404);
  });

  it("serves HEAD like GET, without a body", async () => {
    const response = await send("HEAD", "/v1/balance");
    expect(response.status).toBe(200);
    const body = await (await send("GET", "/v1/balance")).text();
    expect(response.headers.get("content-length")).toBe(String(body.length));
    expect(await response.text()).toBe("");
    expect((await send("HEAD", `${CREATE}/nope`)).status).toBe(404);
  });

  it("in absolute form, as proxies send it, is the same path", async () => {
    expect((await sendRaw("GET", "http://x.example/v1/balance")).status).toBe(200);
  });

  it("in a form that browsers do not send is 404", async () => {
    for (const path of ["/v1/models/../nope", "*", "/v1/models\\x"]) {
      const { status, body } = await sendRaw("GET", path);
      expect([path, status]).toEqual([path, 404]);
      expect(JSON.parse(body)).toHaveProperty("error.code");
    }
  });
});

describe("a Request-Id", () => {
  it("of the client is kept and forwarded when it is well-formed", async () => {
    const own = "checkout-8841_try-2";
    const response = await send("GET", "/v1/balance", { "request-id": own });
    expect(response.headers.get("request-id")).toBe(own);
    expect(harness.calls.at(-1)?.requestId).toBe(own);
  });

  it("is a new one otherwise, and is in every response and error", async () => {
    for (const own of ["short", "x".repeat(65), "with space", "ümlaut-id"]) {
      const response = await send("GET", "/v1/balance", { "request-id": own });
      expect(response.headers.get("request-id")).toMatch(/^req_[0-9a-z]{26}$/);
    }
    expect((await harness.send("/healthz")).headers.get("request-id")).toMatch(/^req_/);
    for (const path of ["/v1/balance", "/v1/nope", "/nope", "/assets/x"]) {
      const response = await harness.send(path);
      const id = response.headers.get("request-id");
      expect(id).toMatch(/^req_/);
      expect((await errorOf(response)).request_id).toBe(id);
    }
  });
});

describe("the checks", () => {
  it("run in the contract's order: each request here also has the faults of all later checks", async () => {
    const big = JSON.stringify({ model: 1, prompt: "x".repeat(300_000) });
    const bad = { "idempotency-key": "two words" };
    const text = { "content-type": "text/plain" };
    const { secret } = harness.key;
    const put = { ...post(secret, big, bad), method: "PUT" };
    const typed = post(secret, big, { ...bad, ...text });
    const cases: [string, RequestInit, string, number, string][] = [
      ["401 before 404", { method: "POST", body: big }, "/v1/nope", 401, "missing_api_key"],
      ["404 before headers", post(secret, big, bad), "/v1/nope", 404, "route_not_found"],
      ["405 before headers", put, CREATE, 405, "method_not_allowed"],
      ["headers before type", typed, CREATE, 400, "invalid_idempotency_key"],
      ["type before JSON", post(secret, "{", text), CREATE, 415, "unsupported_media_type"],
      ["size before JSON", post(secret, `{${big}`), CREATE, 413, "body_too_large"],
      ["JSON before fields", post(secret, "{"), CREATE, 400, "invalid_json"],
      ["fields before the model", post(secret, { model: 1 }), CREATE, 400, "invalid_type"],
    ];
    for (const [name, init, path, status, code] of cases) {
      const response = await harness.send(path, init);
      const { code: got } = await errorOf(response);
      expect([name, response.status, got]).toEqual([name, status, code]);
    }
    expect(harness.calls.filter(({ method }) => method === "createVideo")).toEqual([]);
  });
});

describe("a document", () => {
  it("is not served while an operation of it has no handler", () => {
    const routes = {
      contract: loadContract("media", allowNone, () => ""),
      memory: uploadMemory(),
      admit: async () => undefined,
      handlerOf: (id: string) => (id === "deleteFile" ? undefined : async () => {}),
    };
    expect(() => documentRoutes(fastify(), routes)).toThrow("operation deleteFile");
  });
});
