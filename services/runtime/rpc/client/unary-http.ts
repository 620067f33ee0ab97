/**
 * Makes unary calls over HTTP/2 as the Connect protocol has them, with binary messages. Connect's own transport, which is made
 * for streams and browsers too, takes more processor: the figures are in docs/architecture.md, "Calls between services".
 */
import { constants, type ClientHttp2Stream, type IncomingHttpStatusHeader } from "node:http2";
import type { IncomingHttpHeaders } from "node:http";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type Interceptor, type Transport } from "@connectrpc/connect";
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  protocolVersion,
  trailerDemux,
  validateResponse,
} from "@connectrpc/connect/protocol-connect";
import { Answer, intercepted, unaryTransport, type Call } from "../unary/call.ts";
import { webHeaders } from "../unary/web-headers.ts";
import type { SessionPool } from "./session-pool.ts";

type Exchanged = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** A transport over the sessions of `pool`. */
export function unaryOverHttp2(pool: SessionPool, interceptors: readonly Interceptor[]): Transport {
  const send = intercepted(interceptors, async (request) => {
    const call = request as Call;
    const { method, lifetime } = call;
    const body = toBinary(method.input, call.message);
    const stream = await pool.request(`/${method.parent.typeName}/${method.name}`, {
      ...Object.fromEntries(call.header),
      "content-type": contentTypeUnaryProto,
      "content-length": body.byteLength,
      "connect-protocol-version": protocolVersion,
      ...timeout(lifetime.leftMs()),
    });
    const exchanged = await exchange(stream, body, lifetime);
    checkIsMessage(exchanged);
    return new PeerAnswer(call, exchanged);
  });
  return unaryTransport(send, create);
}

/** The time that is left for the call, as Connect tells the peer. */
function timeout(leftMs: number | undefined) {
  return leftMs === undefined ? {} : { "connect-timeout-ms": Math.max(1, Math.ceil(leftMs)) };
}

/** Sends `body` and takes the whole answer. Rejects if the stream ends without one. */
function exchange(
  stream: ClientHttp2Stream,
  body: Uint8Array,
  lifetime: Call["lifetime"],
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
    let isAnswered = false;
    stream.once("response", (headers) => (received = headers));
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.once("end", () => {
      const { ":status": status, ...headers } = received;
      // A stream that is reset ends too, as one does whose answer has not the length that it states.
      isAnswered = status !== undefined && !stream.rstCode;
      if (isAnswered) resolve({ status: Number(status), headers, body: Buffer.concat(chunks) });
    });
    stream.on("error", reject);
    stream.once("close", () => {
      const reason = `the peer ended the call with HTTP/2's code ${stream.rstCode}`;
      if (!isAnswered) reject(new ConnectError(reason, Code.Unavailable));
    });
    lifetime.onEnd(() => {
      // A refused call is answered before all of it is sent.
      if (!isAnswered || !stream.writableFinished) stream.close(constants.NGHTTP2_CANCEL);
    });
    stream.end(body);
  });
}

/** What a peer has answered to a call. */
class PeerAnswer extends Answer {
  readonly #received: IncomingHttpHeaders;

  constructor(call: Call, { headers, body }: Exchanged) {
    super(call, fromBinary(call.method.output, body));
    this.#received = headers;
  }

  override get header() {
    return trailerDemux(webHeaders(this.#received))[0];
  }
  override get trailer() {
    return trailerDemux(webHeaders(this.#received))[1];
  }
}

/** Throws the error that the peer, or a load balancer before it, answered. */
function checkIsMessage({ status, headers, body }: Exchanged): void {
  if (status === 200 && headers["content-type"] === contentTypeUnaryProto) return;
  const header = webHeaders(headers);
  const { unaryError } = validateResponse("unary", true, status, header);
  if (unaryError) throw errorFromJsonBytes(body, trailerDemux(header)[0], unaryError);
}
