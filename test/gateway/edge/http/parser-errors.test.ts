/** Requests that Node cannot parse or does not route, in the common error format. */
import { connect } from "node:net";
import fastify from "fastify";
import { beforeAll, describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { loadContract } from "../../../../services/gateway/edge/http/contract.ts";
import { clientErrorHandler } from "../../../../services/gateway/edge/http/problem.ts";
import { contractViolations } from "../../../support/answer-checks.ts";
import { useHarness } from "../../harness.ts";

const UNKNOWN_PATH = "http://localhost/v1/nothing";

let authorization: string;

const harness = useHarness();

beforeAll(() => {
  authorization = `Authorization: Bearer ${harness.key.secret}`;
});

/** Sends `text` on a new connection and returns everything received until it closes. */
function exchange(text: string, port = Number(new URL(harness.url).port)): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
    socket.once("close", () => resolve(received)).once("error", reject);
    socket.write(text);
  });
}

/** The response to a request of these lines. */
async function answerTo(...lines: string[]) {
  const received = await exchange(`${lines.join("\r\n")}\r\n\r\n`);
  const [head = "", body = ""] = received.split("\r\n\r\n");
  const [status = "", ...fields] = head.split("\r\n");
  const headers = new Headers(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]));
  return { status: Number(status.split(" ")[1]), headers, body, received };
}

const ok = ["GET /v1/balance HTTP/1.1", "Host: x", "Connection: close"];

describe("a request that is not HTTP/1.1", () => {
  it.each<[string, string[]]>([
    ["no request at all", ["hello"]],
    ["a method that HTTP does not have", ["FOO /v1/balance HTTP/1.1", "Host: x"]],
    ["another version", ["GET /v1/balance HTTP/3.7", "Host: x"]],
    ["NUL in a header", [...ok, "X-A: a\0b"]],
    [
      "a length and chunks",
      ["POST /v1/x HTTP/1.1", "Host: x", "Content-Length: 3", "Transfer-Encoding: chunked"],
    ],
  ])("is 400 in the common error format: %s", async (_what, lines) => {
    const { status, headers, body } = await answerTo(...lines);
    expect(status).toBe(400);
    const parsed = JSON.parse(body) as { error: { request_id: string } };
    expect(parsed).toMatchObject({
      error: { type: "invalid_request_error", code: "invalid_value" },
    });
    expect(headers.get("request-id")).toBe(parsed.error.request_id);
    const answer = new Response(body, { status, headers });
    expect(contractViolations("GET", UNKNOWN_PATH, answer, body)).toEqual([]);
  });

  it("is 400 too_long when its path and headers are too long", async () => {
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
});

describe("a request", () => {
  it("with an Upgrade header is served like any other", async () => {
    for (const field of ["Upgrade: websocket", "Upgrade: h2c"]) {
      const { status } = await answerTo(...ok, authorization, field);
      expect([field, status]).toEqual([field, 200]);
    }
  });

  it("that does not come whole in time is told so", async () => {
    const contract = loadContract(
      "media",
      () => false,
      () => "",
    );
    const app = fastify({
      http: { connectionsCheckingInterval: 20, headersTimeout: 40 },
      requestTimeout: 50,
      clientErrorHandler: clientErrorHandler(contract, randomId, (code) => code),
    });
    app.post("/", () => "");
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as { port: number };
    const type = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 9";
    const late = await exchange(`POST / HTTP/1.1\r\n${type}\r\n\r\n1`, port);
    expect(late).toMatch(/^HTTP\/1.1 400 [^]*came too slowly/);
    expect(await exchange("POST / HTTP/1.1\r\nHo", port)).toMatch(/came too slowly/);
    await app.close();
  });

  it("that is pipelined behind another is served too", async () => {
    const first = ["GET /v1/balance HTTP/1.1", "Host: x", authorization, "", ""].join("\r\n");
    const { received } = await answerTo(first + [...ok, authorization].join("\r\n"));
    expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe("a repeated header", () => {
  it("is an invalid key when it is Authorization, even if one of the two is valid", async () => {
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

  it("is refused when it is Idempotency-Key", async () => {
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
