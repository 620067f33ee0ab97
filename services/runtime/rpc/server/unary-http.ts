/**
 * Answers unary calls of the Connect protocol with binary messages, as the services make them. Connect's adapter takes more
 * processor for them; it answers all other calls.
 */
import { create, fromBinary, toBinary, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError, type ContextValues, type Interceptor } from "@connectrpc/connect";
import type { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  codeToHttpStatus,
  contentTypeUnaryProto,
  contentTypeUnaryJson,
  errorToJsonBytes,
  protocolVersion,
} from "@connectrpc/connect/protocol-connect";
import { answering, Call, errorAsSent, type Implementations, type Method } from "../unary/call.ts";
import { webHeaders } from "../unary/web-headers.ts";
import { openLifetime } from "../unary/lifetime.ts";
import type { Gate } from "./access.ts";

export type HttpHandler = ReturnType<typeof connectNodeAdapter>;
export type HttpRequest = Parameters<HttpHandler>[0];
type HttpResponse = Parameters<HttpHandler>[1];

type ServerSide = {
  gate: Gate;
  interceptors: Interceptor[];
  contextValues: (request: HttpRequest) => ContextValues;
  readMaxBytes: number;
};

const TIMEOUT_HEADER = "connect-timeout-ms";
/** What Node's timers can wait: a longer one would end at once. */
const TIMEOUT = /^\d{1,9}$/;

/** Answers a request and returns true, or leaves it and returns false. */
export function unaryOverHttp(
  implementations: Implementations,
  { gate, interceptors, contextValues, readMaxBytes }: ServerSide,
): (request: HttpRequest, response: HttpResponse) => boolean {
  const answer = answering(implementations, interceptors, create);
  const methods = new Map(
    [...implementations.keys()].map((method) => [
      `/${method.parent.typeName}/${method.name}`,
      method as Method,
    ]),
  );

  const answerCall = async (method: Method, request: HttpRequest, response: HttpResponse) => {
    const timeoutMs = request.headers[TIMEOUT_HEADER];
    const lifetime = openLifetime<Pick<Answered, "body" | "header">>(
      undefined,
      timeoutMs ? Number(timeoutMs) : undefined,
    );
    response.once("close", lifetime.abandon);
    const header = webHeaders(request.headers);
    const values = contextValues(request);
    try {
      const answered = await lifetime.run(async () => {
        try {
          await gate({ service: method.parent, method, requestHeader: header, values });
          const message = parse(method, await bodyOf(request, readMaxBytes));
          const call = new Call({ method, header, message, lifetime }, values);
          const { message: output } = await answer(call);
          return { body: toBinary(method.output, output as Message), header: call.answered };
        } catch (error) {
          throw errorAsSent(error);
        }
      });
      send(response, { status: 200, type: contentTypeUnaryProto, ...answered });
    } catch (error) {
      const sent = ConnectError.from(error);
      const body = errorToJsonBytes(sent, undefined);
      send(response, { status: codeToHttpStatus(sent.code), type: contentTypeUnaryJson, body });
    }
  };

  return (request, response) => {
    const method = isPlain(request) ? methods.get(request.url ?? "") : undefined;
    if (method) void answerCall(method, request, response);
    return method !== undefined;
  };
}

/** Whether it says nothing that only Connect's adapter knows. */
function isPlain({ method, headers }: HttpRequest): boolean {
  return (
    method === "POST" &&
    headers["content-type"] === contentTypeUnaryProto &&
    (headers["connect-protocol-version"] ?? protocolVersion) === protocolVersion &&
    headers["content-encoding"] === undefined &&
    TIMEOUT.test(String(headers[TIMEOUT_HEADER] ?? "0"))
  );
}

/** The whole body. Rejects one of more than `maxBytes` as soon as that is seen, and keeps nothing of the rest. */
function bodyOf(request: HttpRequest, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      request.off("data", take).resume();
      const message = `the message is larger than ${maxBytes} bytes`;
      return reject(new ConnectError(message, Code.ResourceExhausted));
    };
    request.on("data", take);
    request.once("end", () => resolve(Buffer.concat(chunks)));
    request.once("error", reject);
  });
}

function parse({ input }: Method, body: Uint8Array): Message {
  try {
    return fromBinary(input, body);
  } catch (error) {
    const reason = `the body is no ${input.typeName}: ${(error as Error).message}`;
    throw new ConnectError(reason, Code.InvalidArgument);
  }
}

type Answered = { status: number; type: string; body: Uint8Array; header?: Headers | undefined };

function send(response: HttpResponse, { status, type, header, body }: Answered): void {
  if (response.destroyed) return;
  const more = header && Object.fromEntries(header);
  response.writeHead(status, { ...more, "content-type": type, "content-length": body.length });
  response.end(body);
}
