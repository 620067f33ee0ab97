/** Calls whose stream or session the peer ends or answers by half, and how often the peer then gets them. */
import { once } from "node:events";
import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import { BillingService, ReserveResponseSchema } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import { failureOf } from "../../../support/rpc.ts";

/** A peer that handles every call with `handle`; `number` counts them from 1. */
async function openPeer(handle: (stream: ServerHttp2Stream, number: number) => void) {
  const calls: IncomingHttpHeaders[] = [];
  const server = createServer();
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    handle(stream, calls.push(headers));
  });
  const sessions = new Set<{ destroy: () => void }>();
  server.on("session", (session) => sessions.add(session));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const http = overHttp([`http://127.0.0.1:${(server.address() as AddressInfo).port}`], []);
  return {
    calls,
    billing: createClient(BillingService, http),
    [Symbol.dispose]() {
      http[Symbol.dispose]();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

/** Ends the first `count` calls as `end` says, and answers the others. */
const endFirst = (count: number, end: (stream: ServerHttp2Stream) => void) =>
  openPeer((stream, number) => (number <= count ? end(stream) : answer(stream)));
const answer = (stream: ServerHttp2Stream) => {
  stream.respond({ ":status": 200, "content-type": "application/proto" });
  stream.end();
};
const refuse = (stream: ServerHttp2Stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM);
const loseSession = (stream: ServerHttp2Stream) => stream.session?.destroy();

const codeOf = async (call: Promise<unknown>): Promise<Code> => (await failureOf(call)).code;

it("a call that is refused before it is handled is made again until it is handled, idempotent or not", async () => {
  using peer = await endFirst(6, refuse);
  await peer.billing.setDiscount({});
  expect(peer.calls).toHaveLength(7);
});

it("a call that is always refused ends at its deadline", async () => {
  using peer = await endFirst(Infinity, refuse);
  expect(await codeOf(peer.billing.setDiscount({}, { timeoutMs: 2_000 }))).toBe(
    Code.DeadlineExceeded,
  );
  expect(peer.calls.length).toBeGreaterThan(2);
});

it("a call that is not idempotent is not made again when the peer may have begun to handle it", async () => {
  using peer = await endFirst(1, loseSession);
  expect(await codeOf(peer.billing.setDiscount({}))).toBe(Code.Unavailable);
  // This one would follow a repeated one.
  await peer.billing.getBalance({});
  expect(peer.calls.map((headers) => headers[":path"]?.split("/").at(-1))).toEqual([
    "SetDiscount",
    "GetBalance",
  ]);
});

it("an idempotent call is made once more when its session is lost, and not a third time", async () => {
  using peer = await endFirst(2, loseSession);
  expect(await codeOf(peer.billing.getBalance({}))).toBe(Code.Unavailable);
  expect(peer.calls).toHaveLength(2);
});

const WHOLE = Buffer.from(
  toBinary(ReserveResponseSchema, create(ReserveResponseSchema, { balance: { available: 7n } })),
);
const PROTO = { ":status": 200, "content-type": "application/proto" };

it.each<[what: string, (stream: ServerHttp2Stream) => void]>([
  [
    "that ends before its length",
    (stream) => {
      stream.respond({ ...PROTO, "content-length": WHOLE.length + 1 });
      stream.end(WHOLE);
    },
  ],
  [
    "whose connection is lost before its end",
    (stream) => {
      stream.respond(PROTO);
      stream.write(WHOLE, () => stream.session?.socket.destroy());
    },
  ],
  ["that is canceled", (stream) => stream.close(8)],
  [
    "that is a page",
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end("<h1>Welcome</h1>");
    },
  ],
])("an answer %s is a fault of the connection", async (_what, answer) => {
  using peer = await openPeer(answer);
  expect(await codeOf(peer.billing.reserve({ tokens: 1n }))).toBe(Code.Unavailable);
});
