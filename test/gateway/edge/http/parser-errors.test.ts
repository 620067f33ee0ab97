/** Requests that Node cannot parse or does not route, in the common error format. */
import { connect } from "node:net";
import { text as wholeText } from "node:stream/consumers";
import fastify from "fastify";
import { randomId } from "#runtime/id.ts";
import { allowNone } from "#runtime/address.ts";
import { loadContract } from "../../../../services/gateway/edge/http/contract.ts";
import { clientErrorHandler } from "../../../../services/gateway/edge/http/problem.ts";
import { contractViolations } from "../../../support/answer-checks.ts";
import { useHarness } from "../../harness.ts";
import type { ErrorAnswer } from "../../requests.ts";

const harness = useHarness();

/** Sends `text` on a new connection and returns everything received until it closes. */
function exchange(text: string, port = Number(new URL(harness.url).port)): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  return wholeText(socket);
}

const ok = ["GET /v1/balance HTTP/1.1", "Host: x", "Connection: close"];

const POST = ["POST /v1/videos/generations HTTP/1.1", ...ok.slice(1)];
const LENGTHS = ["Content-Length: 3", "Transfer-Encoding: chunked"];
const LONG = "x".repeat(20_000);
const TOO_LONG = "400 too_long The path and the headers are longer than 16 KiB.";
/** In place of the API key. */
const KEY = "Authorization: Bearer <key>";
const OTHER = "Authorization: Bearer mgs_test_00000000000000000000000000000000000000";
const KEYS = ["Idempotency-Key: one", "Idempotency-Key: two"];

it.each<[what: string, refusal: string, lines: string[], route?: string]>([
  ["that is none at all", "400 invalid_value", ["hello"]],
  ["with a method that HTTP does not have", "400 invalid_value", ["FOO / HTTP/1.1", "Host: x"]],
  ["of another version", "400 invalid_value", ["GET /v1/balance HTTP/3.7", "Host: x"]],
  ["with NUL in a header", "400 invalid_value", [...ok, "X-A: a\0b"]],
  ["with a length and chunks", "400 invalid_value", [...POST, ...LENGTHS]],
  ["with a path over 16 KiB", TOO_LONG, [`GET /v1/${LONG} HTTP/1.1`, "Host: x"]],
  ["with a header over 16 KiB", TOO_LONG, [...ok, `X-A: ${LONG}`]],
  ["with a key and another", "401 invalid_api_key", [...ok, KEY, OTHER]],
  ["with another key before its own", "401 invalid_api_key", [...ok, OTHER, KEY]],
  ["with its key twice", "401 invalid_api_key", [...ok, KEY, KEY]],
  [
    "with two Idempotency-Keys",
    "400 invalid_idempotency_key",
    [...POST, KEY, "Content-Type: application/json", "Content-Length: 2", ...KEYS, "", "{}"],
    "POST /v1/videos/generations",
  ],
])(
  "a request %s is %s in the common error format",
  async (_what, refusal, lines, route = "GET /v1/nothing") => {
    const sent = lines.map((line) => line.replace("<key>", harness.key.secret));
    const received = await exchange(`${sent.join("\r\n")}\r\n\r\n`);
    const [head = "", body = ""] = received.split("\r\n\r\n");
    const [first = "", ...fields] = head.split("\r\n");
    const headers = new Headers(
      fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]),
    );
    const status = Number(first.split(" ")[1]);
    const { error } = JSON.parse(body) as ErrorAnswer;
    expect(`${status} ${error.code} ${error.message}`).toContain(refusal);
    expect(error.request_id).toBe(headers.get("request-id"));
    const answer = new Response(body, { status, headers });
    const [method = "", path = ""] = route.split(" ");
    expect(contractViolations(method, `${harness.url}${path}`, answer, body)).toEqual([]);
  },
);

it("a whole request is answered whatever follows it, and its connection then closed", async () => {
  const own = KEY.replace("<key>", harness.key.secret);
  const received = await exchange(`GET /v1/balance HTTP/1.1\r\nHost: x\r\n${own}\r\n\r\n}`);
  expect(received.match(/^(?:HTTP|connection).*/gim)).toEqual([
    "HTTP/1.1 200 OK",
    "Connection: close",
  ]);
});

it("a request that does not come whole in time is told so, and one that never begins is not", async () => {
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
