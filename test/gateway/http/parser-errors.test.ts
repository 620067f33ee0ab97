import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { breaches } from "../../support/answer-checks.ts";
import { startHarness } from "../harness.ts";
import type { Harness } from "../harness.ts";

const UNKNOWN_PATH = "http://localhost/v1/nothing";

let harness: Harness;
let authorization: string;

beforeAll(async () => {
  harness = await startHarness();
  authorization = `Authorization: Bearer ${(await harness.newKey()).secret}`;
});
afterAll(() => harness[Symbol.asyncDispose]());

/** All that the service says on one connection, until it or `lastBytes` ends it. */
function say(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(harness.url).port), "127.0.0.1");
    let said = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
    socket.once("close", () => resolve(said)).once("error", reject);
    socket.write(text);
  });
}

/** The one answer that was said. */
async function answerTo(...lines: string[]) {
  const said = await say(`${lines.join("\r\n")}\r\n\r\n`);
  const [head = "", body = ""] = said.split("\r\n\r\n");
  const [status = "", ...fields] = head.split("\r\n");
  const headers = new Headers(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]));
  return { status: Number(status.split(" ")[1]), headers, body, said };
}

const ok = ["GET /v1/balance HTTP/1.1", "Host: x", "Connection: close"];

describe("a request that is not HTTP/1.1", () => {
  it.each<[string, string[]]>([
    ["no request at all", ["hello"]],
    ["a method that HTTP does not have", ["FOO /v1/balance HTTP/1.1", "Host: x"]],
    ["another version", ["GET /v1/balance HTTP/3.7", "Host: x"]],
    ["the beginning of HTTP/2", ["PRI * HTTP/2.0", "", "SM", ""]],
    ["a space in its path", ["GET /v1/bal ance HTTP/1.1", "Host: x"]],
    ["a control character in a header", [...ok, "X-A: a\u0001b"]],
    ["NUL in a header", [...ok, "X-A: a\0b"]],
    ["a header without a colon", [...ok, "nonsense"]],
    [
      "two lengths",
      ["POST /v1/balance HTTP/1.1", "Host: x", "Content-Length: 1", "Content-Length: 2"],
    ],
    ["a length that is no number", ["POST /v1/x HTTP/1.1", "Host: x", "Content-Length: ten"]],
    [
      "a length and chunks",
      ["POST /v1/x HTTP/1.1", "Host: x", "Content-Length: 3", "Transfer-Encoding: chunked"],
    ],
  ])("is 400 in the shape of every error: %s", async (_what, lines) => {
    const { status, headers, body } = await answerTo(...lines);
    expect(status).toBe(400);
    const told = JSON.parse(body) as { error: { request_id: string } };
    expect(told).toMatchObject({ error: { type: "invalid_request_error", code: "invalid_value" } });
    expect(headers.get("request-id")).toBe(told.error.request_id);
    const answer = new Response(body, { status, headers });
    expect(breaches("GET", UNKNOWN_PATH, answer, body)).toEqual([]);
  });

  it("is told that its path and headers are too long", async () => {
    const long = "x".repeat(20_000);
    for (const lines of [
      [`GET /v1/${long} HTTP/1.1`, "Host: x"],
      [...ok, `X-A: ${long}`],
    ]) {
      const { status, body } = await answerTo(...lines);
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({
        error: { code: "too_long", message: expect.stringContaining("16 KiB") },
      });
    }
  });

  it("is answered once where its body goes wrong in the middle", async () => {
    const { status, said } = await answerTo(
      "POST /v1/videos/generations HTTP/1.1",
      "Host: x",
      authorization,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
      "",
      "zz",
    );
    expect(status).toBe(400);
    expect(said.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
    expect(harness.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});

describe("a request that Node would answer or drop by itself", () => {
  it("without Host is 400, naming it; HTTP/1.0 needs none", async () => {
    const lines = ["GET /v1/balance HTTP/1.1", authorization, "Connection: close"];
    const { status, headers, body } = await answerTo(...lines);
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_value", param: "Host" } });
    expect(headers.get("request-id")).toMatch(/^req_/);
    const old = await answerTo("GET /v1/balance HTTP/1.0", authorization);
    expect(old.status).toBe(200);
  });

  it("that asks for a tunnel is 404", async () => {
    const { status, body } = await answerTo("CONNECT example.com:443 HTTP/1.1", "Host: x");
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "route_not_found" } });
  });

  it("that expects what nobody knows, or asks for another protocol, is answered as any other", async () => {
    for (const field of ["Expect: the-unexpected", "Upgrade: websocket", "Upgrade: h2c"]) {
      const { status } = await answerTo(...ok, authorization, field);
      expect([field, status]).toEqual([field, 200]);
    }
  });

  it("that comes right behind another is answered too", async () => {
    const first = ["GET /v1/balance HTTP/1.1", "Host: x", authorization, "", ""].join("\r\n");
    const { said } = await answerTo(first + [...ok, authorization].join("\r\n"));
    expect(said.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe("a header that stands twice", () => {
  it("is no key where it is Authorization, whichever of the two is one", async () => {
    const other = "Authorization: Bearer mgs_test_00000000000000000000000000000000000000";
    for (const pair of [
      [authorization, other],
      [other, authorization],
      [authorization, authorization],
    ]) {
      const { status, body } = await answerTo(...ok, ...pair);
      expect(status).toBe(401);
      expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_api_key" } });
    }
  });

  it("is no id where it is Request-Id", async () => {
    const ids = ["Request-Id: first-of-two", "Request-Id: second-of-two"];
    const { status, headers } = await answerTo(...ok, authorization, ...ids);
    expect(status).toBe(200);
    expect(headers.get("request-id")).toMatch(/^req_/);
  });

  it("is refused where it is Idempotency-Key", async () => {
    const { status, body } = await answerTo(
      "POST /v1/videos/generations HTTP/1.1",
      "Host: x",
      "Connection: close",
      authorization,
      "Content-Type: application/json",
      "Content-Length: 2",
      "Idempotency-Key: one",
      "Idempotency-Key: two",
      "",
      "{}",
    );
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ error: { code: "invalid_idempotency_key" } });
  });
});
