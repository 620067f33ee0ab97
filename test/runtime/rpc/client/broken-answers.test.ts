/** What a peer, or a load balancer before it, answers by half or in another protocol is not taken for its answer. */
import { createServer, type ServerHttp2Stream } from "node:http2";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { BillingService, ReserveResponseSchema } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";

const WHOLE = Buffer.from(
  toBinary(ReserveResponseSchema, create(ReserveResponseSchema, { balance: { available: 7n } })),
);
const PROTO = { ":status": 200, "content-type": "application/proto" };

/** A call of an RPC that is not idempotent, to a server that answers each stream by `answer`. */
async function reserve(answer: (stream: ServerHttp2Stream) => void) {
  const server = createServer();
  server.on("stream", (stream) => {
    stream.on("error", () => undefined);
    stream.resume().once("end", () => answer(stream));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  using http = overHttp([`http://127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const billing = createClient(BillingService, http.connect([]));
  try {
    return await billing.reserve({ tokens: 1n });
  } finally {
    server.close();
  }
}

it("a whole answer is taken", async () => {
  const { balance } = await reserve((stream) => {
    stream.respond(PROTO);
    stream.end(WHOLE);
  });
  expect(balance?.available).toBe(7n);
});

it.each<[answer: string, (stream: ServerHttp2Stream) => void]>([
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
    "of a load balancer without replicas",
    (stream) => {
      stream.respond({ ":status": 503, "content-type": "text/html" });
      stream.end("<h1>503</h1>");
    },
  ],
  [
    "that is a page",
    (stream) => {
      stream.respond({ ":status": 200, "content-type": "text/html" });
      stream.end("<h1>Welcome</h1>");
    },
  ],
])("an answer %s is a fault of the connection", async (_answer, answer) => {
  const error = await reserve(answer).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConnectError);
  expect(Code[(error as ConnectError).code]).toBe("Unavailable");
});
