/** Requests that Node cannot parse or does not route, in the common error format. */
import { connect } from "node:net";
import { text as wholeText } from "node:stream/consumers";
import fastify from "fastify";
import { describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import { allowNone } from "#runtime/address.ts";
import { loadContract } from "../../../../services/gateway/edge/http/contract.ts";
import { clientErrorHandler } from "../../../../services/gateway/edge/http/problem.ts";
import { contractViolations } from "../../../support/answer-checks.ts";
import { useHarness } from "../../harness.ts";
import type { ErrorAnswer } from "../../requests.ts";

const UNKNOWN_PATH = "http://localhost/v1/nothing";

const harness = useHarness();
const authorization = () => `Authorization: Bearer ${harness.key.secret}`;

/** Sends `text` on a new connection and returns everything received until it closes. */
function exchange(text: string, port = Number(new URL(harness.url).port)): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  return wholeText(socket);
}

/** The response to a request of these lines. */
async function answerTo(...lines: string[]) {
  const received = await exchange(`${lines.join("\r\n")}\r\n\r\n`);
  const [head = "", body = ""] = received.split("\r\n\r\n");
  const [first = "", ...fields] = head.split("\r\n");
  const headers = new Headers(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]));
  const status = Number(first.split(" ")[1]);
  const error = () => ({ status, ...(JSON.parse(body) as ErrorAnswer).error });
  return { status, headers, body, error };
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
    const { status, headers, body, error } = await answerTo(...lines);
    const request_id = headers.get("request-id");
    expect(error()).toMatchObject({ status: 400, code: "invalid_value", request_id });
    const answer = new Response(body, { status, headers });
    expect(contractViolations("GET", UNKNOWN_PATH, answer, body)).toEqual([]);
  });

  it("is 400 too_long when its path and headers are too long", async () => {
    const long = "x".repeat(20_000);
    const message = expect.stringContaining("16 KiB");
    for (const lines of [
      [`GET /v1/${long} HTTP/1.1`, "Host: x"],
      [...ok, `X-A: ${long}`],
    ]) {
      const { error } = await answerTo(...lines);
      expect(error()).toMatchObject({ status: 400, code: "too_long", message });
    }
  });
});

describe("a request", () => {
  it("that does not come whole in time is told so, and one that never begins is not", async () => {
    const contract = loadContract("media", allowNone, () => "");
    const app = fastify({
      // A busy machine has read what was sent within this time.
      http: { connectionsCheckingInterval: 20, headersTimeout: 1_000 },
      requestTimeout: 1_000,
      clientErrorHandler: clientErrorHandler(contract, randomId, () => ""),
    });
    app.post("/", () => "");
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = app.server.address() as { port: number };
    const type = "Host: x\r\nContent-Type: application/json\r\nContent-Length: 9";
    const begun = [`POST / HTTP/1.1\r\n${type}\r\n\r\n1`, "POST / HTTP/1.1\r\nHo", ""];
    const answers = await Promise.all(begun.map((text) => exchange(text, port)));
    const told = expect.stringMatching(/^HTTP\/1.1 400 [^]*came too slowly/) as string;
    expect(answers).toEqual([told, told, ""]);
    await app.close();
  });

  it("with two Authorization headers has an invalid key, even if one of the two is valid", async () => {
    const own = authorization();
    const other = "Authorization: Bearer mgs_test_00000000000000000000000000000000000000";
    for (const pair of [
      [own, other],
      [other, own],
      [own, own],
    ]) {
      const { error } = await answerTo(...ok, ...pair);
      expect(error()).toMatchObject({ status: 401, code: "invalid_api_key" });
    }
  });

  it("with two Idempotency-Keys is refused", async () => {
    const keys = ["Idempotency-Key: one", "Idempotency-Key: two"];
    const post = ["POST /v1/videos/generations HTTP/1.1", ...ok.slice(1), authorization()];
    const body = ["Content-Type: application/json", "Content-Length: 2", ...keys, "", "{}"];
    const { error } = await answerTo(...post, ...body);
    expect(error()).toMatchObject({ status: 400, code: "invalid_idempotency_key" });
  });
});
