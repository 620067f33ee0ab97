/** Answers what Node's parser cannot read, or keeps from the routes, in the shape of every other error. */
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import type { NewId } from "#runtime/id.ts";
import type { Contract } from "../contract.ts";
import { Problem, problemAnswer } from "../problem.ts";

const NOT_HTTP =
  "This is not a request of HTTP/1.1 as its standard has it. Check what your client sends.";

/** By the code of the parser's error; what is not here is not HTTP. */
const MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The path and the headers are longer than 16 KiB. Shorten them.",
  ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive whole in 60 seconds. Send it again.",
};

export type UnparsedDeps = { contract: Contract; newId: NewId };

/** The listener of a server's clientError: one answer, then the connection ends, as what follows cannot be read. */
export function answerUnparsed({ contract, newId }: UnparsedDeps) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === "ECONNRESET" || !socket.writable || hasBegunToAnswer(socket)) {
      socket.destroy();
      return;
    }
    const code = error.code === "HPE_HEADER_OVERFLOW" ? "too_long" : "invalid_value";
    const problem = new Problem(code, { message: MESSAGES[error.code ?? ""] ?? NOT_HTTP });
    end(socket, contract, problem, newId("req"));
  };
}

/** CONNECT asks for a tunnel, which Node hands to no route; an unknown Expect is no reason to refuse. */
export function answerUnrouted(server: Server, { contract, newId }: UnparsedDeps): void {
  server.on("connect", (_request, socket: Duplex) => {
    end(socket, contract, new Problem("route_not_found"), newId("req"));
  });
  server.on("checkExpectation", (request, response) => {
    server.emit("request", request, response);
  });
}

/** Node's own handler asks the same, so as not to write into the middle of another answer. */
function hasBegunToAnswer(socket: Duplex): boolean {
  const { _httpMessage: message } = socket as Duplex & { _httpMessage?: { headersSent: boolean } };
  return message?.headersSent === true;
}

function end(socket: Duplex, contract: Contract, problem: Problem, requestId: string): void {
  const { status, body } = problemAnswer(contract, problem, requestId);
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
