/** Maps any error to the response of a problem, and logs the causes of those that are not the client's fault. */
import type { Duplex } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { NewId } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import type { Contract } from "./contract.ts";
import { Problem, problemResponse, toProblem, type DocUrlOf } from "./problem.ts";

/** What only the answer to a caller has; one that waited may be admitted no longer. */
const OF_ADMITTED = ["preference-applied", "ratelimit", "ratelimit-policy"];

export type ErrorHandler = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply;

/** `docUrlOf` is for documents whose errors name their page. */
export function createErrorHandler(
  contract: Contract,
  log: Log,
  docUrlOf?: DocUrlOf,
): ErrorHandler {
  return (error, request, reply) => {
    const problem = restrictionProblem(request) ?? toProblem(error);
    const { status, body, headers } = problemResponse(contract, problem, request.id, docUrlOf);
    request.errorCode = problem.code;
    request.errorParam = body.error.param;
    const cause = { err: problem.cause, request_id: request.id };
    if (problem.cause !== undefined && problem.code === "internal") {
      log.error(cause, "request failed");
    } else if (problem.cause !== undefined && status >= 500) {
      log.warn(cause, "request refused, unavailable");
    }
    if (status === 401) for (const name of OF_ADMITTED) void reply.removeHeader(name);
    return reply.code(status).headers(headers).type("application/json; charset=utf-8").send(body);
  };
}

/** The restriction of a caller that may not create takes precedence over the faults of its create request. */
function restrictionProblem(request: FastifyRequest): Problem | undefined {
  const isCreate = request.routeOptions.config.checks?.isCreate === true;
  const restriction = request.caller?.restriction;
  if (restriction === undefined || !isCreate || request.isChecked) return undefined;
  return new Problem(restriction);
}

const NOT_HTTP =
  "This is not a request of HTTP/1.1 as its standard has it. Check what your client sends.";

/** Messages by the parser's error code; any other code means that the bytes are not HTTP. */
const PARSER_MESSAGES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "The path and the headers are longer than 16 KiB. Shorten them.",
  ERR_HTTP_REQUEST_TIMEOUT:
    "The request came too slowly: headers have 10 seconds, a whole request 300. Send it again.",
};

/** Answers what Node cannot parse, or did not get in time: one response, then the connection closes. */
export function clientErrorHandler(contract: Contract, newId: NewId, docUrlOf: DocUrlOf) {
  return ({ code = "" }: NodeJS.ErrnoException, socket: Duplex): void => {
    const { _httpMessage: begun } = socket as Duplex & { _httpMessage?: { headersSent: boolean } };
    if (code === "ECONNRESET" || !socket.writable || begun?.headersSent) {
      socket.destroy();
      return;
    }
    const message = PARSER_MESSAGES[code] ?? NOT_HTTP;
    const problem = new Problem(code === "HPE_HEADER_OVERFLOW" ? "too_long" : "invalid_value", {
      message,
    });
    const requestId = newId("req");
    const text = JSON.stringify(problemResponse(contract, problem, requestId, docUrlOf).body);
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nRequest-Id: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
  };
}
