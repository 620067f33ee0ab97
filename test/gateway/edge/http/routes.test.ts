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
  it("that does not exist is 404 route_not_found, under /v1 only with a key", async () => {
    const paths = ["/v1", "/v1/", "/v1/nope", "/v1/models/a/b", "/v1//models", "/v1/MODELS"];
    for (const path of paths) {
      expect([path, (await harness.send(path)).status]).toEqual([path, 401]);
      const response = await send("GET", path);
      expect([path, response.status]).toEqual([path, 404]);
      const error = await errorOf(response);
      expect(error).toMatchObject({ type: "not_found_error", code: "route_not_found" });
      const isRoot = path.length <= "/v1/".length;
      expect([path, error.message.includes("/openapi.json")]).toEqual([path, isRoot]);
    }
    for (const path of ["/v1x", "/v2/models", "/nope", "/%"]) {
      const response = await harness.send(path);
      expect([path, response.status]).toEqual([path, 404]);
      expect(await errorOf(response)).toMatchObject({ code: "route_not_found" });
    }
  });

  it.each([
    ["/v1/video/generations", "/v1/videos/generations"],
    ["/v1/videos/generate", "/v1/videos/generations"],
    ["/v1/videos", "/v1/videos/generations"],
    ["/v1/Models/", "/v1/models"],
    ["/v1/v1/models?limit=1", "/v1/models"],
    ["/v1//models", "/v1/models"],
    [`/v1/image/generations/${randomId("igen")}/cancel`, "/v1/images/generations/{id}/cancel"],
    [`/v1/videos/${randomId("vgen")}`, "/v1/videos/generations/{id}"],
    [`${CREATE}/${randomId("vgen")}/stop`, "/v1/videos/generations/{id}/cancel"],
    [`/v1/file/${"x".repeat(50)}`, "/v1/files/{id}"],
    ["/openai/v1/image/edit", "/openai/v1/images/edits"],
    ["/openai/v1/predictions", undefined],
    [`/v1/files/${"x".repeat(5_000)}/${"y".repeat(5_000)}`, undefined],
  ])("that does not exist names the one that was probably meant: %s", async (path, meant) => {
    const { code, message } = await errorOf(await send("GET", path));
    expect([code, message]).toEqual([
      "route_not_found",
      meant === undefined
        ? "There is nothing at this path. Check it against the reference."
        : `This path does not exist. Did you mean ${meant}? Correct the path, or the base URL of your client.`,
    ]);
  });

  it.each([
    ["GET", "/models", "/v1", "GET /v1/models"],
    ["GET", "/balance?x=1", "/v1", "GET /v1/balance"],
    ["GET", "/videos/generations", "/v1", "GET /v1/videos/generations"],
    ["POST", "/videos/generations", "/v1", "POST /v1/videos/generations"],
    ["POST", "/models", "/v1", "GET /v1/models"],
    ["GET", "/api/v1/models", "/v1", "GET /v1/models"],
    ["GET", "/v2//models", "/v1", "GET /v1/models"],
    ["GET", `/videos/generations/${randomId("vgen")}`, "/v1", "GET /v1/videos/generations/{id}"],
    ["GET", "/openai/models", "/openai/v1", "GET /openai/v1/models"],
    ["POST", "/openai/v2/images/edits", "/openai/v1", "POST /openai/v1/images/edits"],
  ])("below a wrong base URL says where the API is: %s %s", async (method, path, prefix, meant) => {
    const { code, message } = await errorOf(await harness.send(path, { method }));
    expect([code, message]).toEqual([
      "route_not_found",
      `This path does not exist. The API is at ${prefix}: did you mean ${meant}? Correct the base URL of your client.`,
    ]);
  });

  it.each(["/chat/completions", "/openai/chat/completions", "/api/v1/chat/completions"])(
    "of another API below a wrong base URL says what the service makes: %s",
    async (path) => {
      const { message } = await errorOf(await harness.send(path, { method: "POST" }));
      expect(message).toMatch(
        /^This path does not exist\. This service makes videos and images only/,
      );
    },
  );

  it("of the OpenAI dialect for text or sound says what works", async () => {
    const { code, message } = await errorOf(await send("POST", "/openai/v1/chat/completions"));
    expect([code, message]).toEqual([
      "route_not_found",
      "This service makes videos and images only: /docs/guides/openai lists what works.",
    ]);
  });

  it("outside every API that no route is like has no hint", async () => {
    for (const path of ["/v1x", "/nope", `/models/${"x".repeat(5_000)}`]) {
      const { message } = await errorOf(await harness.send(path));
      expect(message).toBe("There is nothing at this path. Check it against the reference.");
    }
  });

  it.each([
    [
      "POST",
      "/v1/predictions",
      /^Here POST \/v1\/videos\/generations .*\/docs\/guides\/replicate\.$/,
    ],
    ["GET", "/v1/predictions/gm3qorzdhgbfurvjtvhg6dckhu", /\/docs\/guides\/replicate\.$/],
    ["POST", "/v1/models/owner/name/predictions", /\/docs\/guides\/replicate\.$/],
    ["POST", "/v1/queue/fal-ai/veo3.1", /\/docs\/guides\/fal\.$/],
    [
      "POST",
      "/v1/run",
      /^Here POST \/v1\/videos\/generations makes a video, and POST \/v1\/images\/generations an image\.$/,
    ],
    ["POST", "/v1/text_to_video", /^Here POST \/v1\/videos\/generations makes a video/],
    [
      "POST",
      "/v1/responses",
      /videos and images only\. .* base URL that \/docs\/guides\/openai names\.$/,
    ],
    [
      "POST",
      "/v1/chat/completions",
      /videos and images only\. .* base URL that \/docs\/guides\/openai names\.$/,
    ],
    [
      "POST",
      "/v1/images/edits",
      /^Here POST \/v1\/images\/generations takes the pictures .* \/docs\/guides\/openai names\.$/,
    ],
    ["POST", "/v1/uploads", /^Here POST \/v1\/files takes a picture\.$/],
    ["GET", "/v1/credits", /^Here GET \/v1\/balance has the Tokens that are left\.$/],
  ])("of another API says what does the same here: %s %s", async (method, path, hint) => {
    const { code, message } = await errorOf(await send(method, path));
    expect([code, message.slice(0, 26)]).toEqual(["route_not_found", "This path does not exist. "]);
    expect(message.slice(26)).toMatch(hint);
    const links = message.matchAll(/\/docs\/[\w/]+/g);
    for (const [link] of links)
      expect([link, (await harness.send(link)).status]).toEqual([link, 200]);
  });

  it.each([
    "/",
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/docs",
    "/docs/guides/files",
    "/docs/guides/files.md",
    "/llms.txt",
    "/llms-full.txt",
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
    ["GET", `${CREATE}/`],
    ["DELETE", "/v1/files/"],
    ["POST", `${CREATE}//cancel`],
    ["GET", "/v1/models/"],
  ])("that has a slash too many is 404 route_not_found: %s %s", async (method, path) => {
    const response = await send(method, path);
    expect(response.status).toBe(404);
    expect(await errorOf(response)).toMatchObject({ code: "route_not_found" });
  });

  it.each([
    ["PUT", CREATE, "GET, HEAD, POST"],
    ["OPTIONS", CREATE, "GET, HEAD, POST"],
    ["GET", `${CREATE}/${randomId("vgen")}/cancel`, "POST"],
    ["HEAD", `${CREATE}/${randomId("vgen")}/cancel`, "POST"],
    ["POST", "/v1/mod%65ls", "GET, HEAD"],
    ["PUT", `${CREATE}/${randomId("vgen")}`, "GET, HEAD, DELETE"],
    ["POST", "/v1/models", "GET, HEAD"],
    ["PATCH", "/v1/models/alpha-2.0", "GET, HEAD"],
    ["OPTIONS", "/v1/balance", "GET, HEAD"],
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
    const cases: [string, RequestInit, string, number, string][] = [
      ["401 before 404", { method: "POST", body: big }, "/v1/nope", 401, "missing_api_key"],
      [
        "404 before headers",
        post(harness.key.secret, big, bad),
        "/v1/nope",
        404,
        "route_not_found",
      ],
      [
        "405 before headers",
        { ...post(harness.key.secret, big, bad), method: "PUT" },
        CREATE,
        405,
        "method_not_allowed",
      ],
      [
        "headers before type",
        post(harness.key.secret, big, { ...bad, ...text }),
        CREATE,
        400,
        "invalid_idempotency_key",
      ],
      [
        "type before JSON",
        post(harness.key.secret, "{", text),
        CREATE,
        415,
        "unsupported_media_type",
      ],
      ["size before JSON", post(harness.key.secret, `{${big}`), CREATE, 413, "body_too_large"],
      ["JSON before fields", post(harness.key.secret, "{"), CREATE, 400, "invalid_json"],
      [
        "fields before the model",
        post(harness.key.secret, { model: 1 }),
        CREATE,
        400,
        "invalid_type",
      ],
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
