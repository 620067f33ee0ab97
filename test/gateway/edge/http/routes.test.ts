/** Routing, request ids, the order of the checks, and bodies by what surrounds their JSON. */
import { randomId } from "#runtime/id.ts";
import { sendByNode } from "../../../support/send-by-node.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, headersOf, post, VIDEO, VIDEOS } from "../../requests.ts";

const MAX_BYTES = 256 * 1024;

const harness = useHarness();

/** Sends what fetch would refuse or change; a body that is begun never ends. */
const sendRaw = (method: string, path: string, begun?: string) =>
  sendByNode(
    harness.url,
    { method, path, headers: headersOf(harness.key.secret) },
    begun === undefined ? undefined : (sent) => sent.write(begun),
  );

describe("a path", () => {
  it.each([
    [401, "PUT", VIDEOS, "GET, HEAD, POST"],
    [401, "GET", `${VIDEOS}/${randomId("vgen")}/cancel`, "POST"],
    [401, "HEAD", `${VIDEOS}/${randomId("vgen")}/cancel`, "POST"],
    [401, "POST", "/v1/mod%65ls", "GET, HEAD"],
    [401, "PROPFIND", "/v1/balance", "GET, HEAD"],
    [405, "POST", "/docs/guides/files", "GET, HEAD"],
    // A browser asks before it reads a part of a file.
    [405, "POST", "/assets/a.mp4", "GET, HEAD, OPTIONS"],
  ])("is %i without a key, and 405 with Allow: %s %s", async (status, method, path, allow) => {
    expect((await harness.send(path, { method })).status).toBe(status);
    const response = await harness.sendBare(method, path);
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
  });

  it("that is not there is 404 although its body never ends", async () => {
    expect((await sendRaw("POST", "/v1/nope", '{"model":')).status).toBe(404);
  });

  it("serves HEAD like GET, without a body", async () => {
    const response = await harness.sendBare("HEAD", "/v1/balance");
    const body = await (await harness.get("/v1/balance")).text();
    expect(response.headers.get("content-length")).toBe(String(body.length));
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect((await harness.sendBare("HEAD", `${VIDEOS}/nope`)).status).toBe(404);
  });

  it("in absolute form, as proxies send it, is the same path; in one that browsers do not send it is 404", async () => {
    for (const path of ["/v1/balance", "/docs/guides/files", "?a=1"])
      expect([path, (await sendRaw("GET", `HTTP://x.example${path}`)).status]).toEqual([path, 200]);
    for (const path of ["/v1/models/../nope", "*", "/v1/models\\x"]) {
      const { status, body } = await sendRaw("GET", path);
      expect([path, status]).toEqual([path, 404]);
      expect(JSON.parse(body)).toHaveProperty("error.code");
    }
  });
});

it("a Request-Id that is not well-formed is replaced, and a new one is in every response and error", async () => {
  for (const own of ["short", "x".repeat(65), "with space", "ümlaut-id"]) {
    const { headers } = await harness.get("/v1/balance", { "request-id": own });
    expect(headers.get("request-id")).toMatch(/^req_[0-9a-z]{26}$/);
  }
  expect((await harness.send("/healthz")).headers.get("request-id")).toMatch(/^req_/);
  for (const path of ["/v1/balance", "/v1/nope", "/nope", "/assets/x"]) {
    const response = await harness.send(path);
    const id = response.headers.get("request-id");
    expect(id).toMatch(/^req_/);
    expect((await errorOf(response)).request_id).toBe(id);
  }
});

it("the checks run in the contract's order: each request here also has the faults of all later checks", async () => {
  const big = JSON.stringify({ model: 1, prompt: "x".repeat(300_000) });
  const bad = { "idempotency-key": "two words" };
  const text = { "content-type": "text/plain" };
  const { secret } = harness.key;
  const typed = post(secret, big, { ...bad, ...text });
  const put = { ...typed, method: "PUT" };
  const cases: [string, RequestInit, string, number, string][] = [
    ["401 before 404", { method: "POST", body: big }, "/v1/nope", 401, "missing_api_key"],
    ["404 before headers", typed, "/v1/nope", 404, "route_not_found"],
    ["405 before headers", put, VIDEOS, 405, "method_not_allowed"],
    ["headers before type", typed, VIDEOS, 400, "invalid_idempotency_key"],
    ["type before JSON", post(secret, "{", text), VIDEOS, 415, "unsupported_media_type"],
    ["size before JSON", post(secret, `{${big}`), VIDEOS, 413, "body_too_large"],
    ["JSON before fields", post(secret, "{"), VIDEOS, 400, "invalid_json"],
    ["fields before the model", post(secret, { model: 1 }), VIDEOS, 400, "invalid_type"],
  ];
  for (const [name, init, path, status, code] of cases) {
    const error = await errorOf(harness.send(path, init));
    expect([name, error.status, error.code]).toEqual([name, status, code]);
  }
  expect(harness.requestsTo("createVideo")).toEqual([]);
});

describe("a body", () => {
  it("is accepted up to 256 KiB; more is 413 on a connection that stays open, with Content-Length or without", async () => {
    const padded = (bytes: number) => JSON.stringify(VIDEO).padEnd(bytes, " ");
    expect((await harness.post(VIDEOS, padded(MAX_BYTES))).status).toBe(202);
    for (const bytes of [MAX_BYTES + 1, 8 * 1024 * 1024]) {
      const response = await harness.post(VIDEOS, padded(bytes));
      expect(response.headers.get("connection")).not.toBe("close");
      expect(await errorOf(response)).toMatchObject({ status: 413, code: "body_too_large" });
    }
    const stream = new Blob([padded(8 * 1024 * 1024)]).stream();
    const json = { "content-type": "application/json" };
    expect((await harness.sendBytes(VIDEOS, stream, json)).status).toBe(413);
  });

  const TYPES = ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8"];

  it.each(TYPES)("of the type %s is JSON", async (type) => {
    const headers = { "content-type": type };
    expect((await harness.post(VIDEOS, VIDEO, headers)).status).toBe(202);
    expect((await harness.post(VIDEOS, {}, headers)).status).toBe(400);
  });
});
