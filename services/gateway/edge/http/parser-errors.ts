/** Responds in the common error format to requests that Node cannot parse or does not route. */
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { NewId } from "#runtime/id.ts";
import type { Contract } from "./contract.ts";
import { Problem, problemResponse, type DocUrlOf } from "./problem.ts";

const NOT_HTTP =
  "This is not a request of HTTP/1.1 as its standard has it. Check what your client sends.";

/** Messages by the parser's error code; any other code means that the bytes are not HTTP. */
const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The path and the headers are longer than 16 KiB. Shorten them.",
  ERR_HTTP_REQUEST_TIMEOUT:
    "The request came too slowly: headers have 10 seconds, a body 10 seconds and one more for each 50 kB. Send it again.",
};

export type ParserErrorDeps = { contract: Contract; newId: NewId; docUrlOf: DocUrlOf };

/** The listener of a server's clientError: one response, then the connection closes, as the rest is unreadable. */
export function clientErrorHandler(deps: ParserErrorDeps) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === "ECONNRESET" || !socket.writable || hasSentHeaders(socket)) {
      socket.destroy();
      return;
    }
    const code = error.code === "HPE_HEADER_OVERFLOW" ? "too_long" : "invalid_value";
    const problem = new Problem(code, { message: MESSAGES[error.code ?? ""] ?? NOT_HTTP });
    end(socket, deps, problem);
  };
}

/** Responds 404 to CONNECT, which Node does not route, and ignores an unknown Expect header. */
export function handleUnroutedRequests(server: Server, deps: ParserErrorDeps): void {
  server.on("connect", (_request, socket: Duplex) => {
    end(socket, deps, new Problem("route_not_found"));
  });
  server.on("checkExpectation", (request, response) => {
    server.emit("request", request, response);
  });
}

/** Node's own handler does the same check, to avoid writing into the middle of another response. */
function hasSentHeaders(socket: Duplex): boolean {
  const { _httpMessage: message } = socket as Duplex & { _httpMessage?: { headersSent: boolean } };
  return message?.headersSent === true;
}

function end(
  socket: Duplex,
  { contract, newId, docUrlOf }: ParserErrorDeps,
  problem: Problem,
): void {
  const requestId = newId("req");
  const { status, body } = problemResponse(contract, problem, requestId, docUrlOf);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${status === 404 ? "Not Found" : "Bad Request"}`,
    `Request-Id: ${requestId}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(text)}`,
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`);
}
