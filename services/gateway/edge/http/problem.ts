/** Writes every error answer: each error becomes one of the document's error responses. */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { components } from "#gen/openapi/media.ts";
import { ErrorReason, type Fault as RpcFault } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isDatabaseUnavailable } from "#runtime/postgres/limits.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import type { NewId } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import { namesOf } from "#vocabulary/names.ts";
import { withoutKeys } from "../../domain/api-key.ts";
import type { Contract } from "./contract.ts";
import type { ErrorCode, ErrorType, Fault } from "../validation/checker.ts";
import { listedOnce } from "../validation/message.ts";

type PublicError = components["schemas"]["Error"];

/** The public error body, with the dashboard's additional codes. */
export type ErrorBody = {
  error: Omit<PublicError, "code" | "errors"> & {
    code: ErrorCode;
    errors?: { code: ErrorCode; message: string; param: string }[];
  };
};

export type ProblemOptions = {
  /** Selects the row of a code that has several statuses. */
  type?: ErrorType;
  /** Defaults to the document's description of the code. */
  message?: string;
  param?: string;
  details?: Record<string, unknown>;
  /** All faults of the request, the main one first. */
  faults?: readonly Fault[];
  headers?: Record<string, string>;
  cause?: unknown;
};

/** An error of the contract: thrown by handlers, sent as the response. */
export class Problem extends Error {
  override name = "Problem";
  readonly code: ErrorCode;
  readonly options: ProblemOptions;
  constructor(code: ErrorCode, options: ProblemOptions = {}) {
    super(options.message ?? code, { cause: options.cause });
    this.code = code;
    this.options = options;
  }
}

/** The problem of a request with at least one fault; the first becomes the main error. */
export function invalidRequest(all: readonly Fault[]): Problem {
  const faults = listedOnce(all);
  const [first] = faults;
  if (!first) throw new Error("an invalid request must have a fault");
  return new Problem(first.code, { ...first, type: "invalid_request_error", faults });
}

const { nameOf: reasonName } = namesOf(ErrorReason);
type ReasonName = NonNullable<ReturnType<typeof reasonName>>;

/** Of the reasons that have not the name of their code. `internal` is for those that no client can cause. */
const OTHER_CODES: Readonly<Record<Exclude<ReasonName, ErrorCode>, ErrorCode>> = {
  invalid_field: "internal",
  not_found: "generation_not_found",
  content_differs: "idempotency_key_reused",
  hold_resolved: "internal",
  too_many_references: "too_many",
  source_gone: "internal",
  production_required: "production_access_required",
  generation_deleted: "gone",
  unsupported_simulation: "invalid_value",
  unreadable_file: "invalid_value",
  file_deleted: "gone",
  token_limit_reached: "spend_limit_reached",
};

/** Codes whose RPC message is replaced by the document's: it says less, or reveals internals. */
const SAID_BY_DOCUMENT = new Set<ErrorCode>([
  "internal",
  "unavailable",
  "generation_not_found",
  "gone",
]);

const UNAVAILABLE_RPC_CODES = [Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted];

/** The default Retry-After by status; a problem's own headers take precedence. */
const RETRY_AFTER_SECONDS: Readonly<Record<number, number>> = { 429: 10, 503: 2 };

/** Maps any error to a problem; an unknown error becomes `internal` and is kept as the cause. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ConnectError) return rpcProblem(error);
  if (isDatabaseUnavailable(error)) return new Problem("unavailable", { cause: error });
  switch ((error as { code?: unknown } | null)?.code) {
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new Problem("unsupported_media_type", { param: "Content-Type" });
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new Problem("body_too_large", { cause: error });
    default:
      return new Problem("internal", { cause: error });
  }
}

function rpcProblem(error: ConnectError): Problem {
  const faults = faultsOf(error);
  const [first] = faults;
  if (!first) {
    const code = UNAVAILABLE_RPC_CODES.includes(error.code) ? "unavailable" : "internal";
    return new Problem(code, { cause: error });
  }
  const code = codeOf(first);
  if (SAID_BY_DOCUMENT.has(code)) return new Problem(code, { cause: error });
  const details = detailsOf(code, first);
  const publicFaults = faults.map((fault) => ({
    code: codeOf(fault),
    message: fault.message,
    ...(fault.field === "" ? {} : { param: fault.field }),
  }));
  return new Problem(code, {
    ...publicFaults[0],
    ...(details && { details }),
    faults: publicFaults,
  });
}

function codeOf({ reason }: RpcFault): ErrorCode {
  // Only a newer peer knows one without a name.
  const name = reasonName(reason) ?? "internal";
  return name in OTHER_CODES ? OTHER_CODES[name as keyof typeof OTHER_CODES] : (name as ErrorCode);
}

/** The refusal's values for code, as the document has them. */
function detailsOf(code: ErrorCode, { metadata }: RpcFault): PublicError["details"] | undefined {
  const number = (name: string) => Number(metadata[name]);
  switch (code) {
    case "insufficient_tokens":
      return { required: number("required"), available: number("available") };
    case "spend_limit_reached":
      return {
        required: number("required"),
        limit: number("tokens"),
        used: number("used"),
        resets_at: metadata["resets_at"] ?? "",
        ...limitScope(metadata),
        period: metadata["period"] === "month" ? "month" : "day",
      };
    case "storage_limit_reached":
      return { limit: number("limit"), used: number("used") };
    default:
      return undefined;
  }
}

function limitScope({ scope, key_id: keyId }: RpcFault["metadata"]) {
  if (keyId) return { scope: "key", key_id: keyId } as const;
  return { scope: scope === "end_user" ? scope : "account" } as const;
}

/** Of the service, without a slash at its end. */
export type PublicUrl = () => string;

/** The paths in messages that clients get as addresses: of the documentation, the documents and OpenAI's base URL. */
const OWN_PATH = /(?<= )\/(?:docs\b|openapi\.|openai\/v1(?![\w/]))/g;

/** The response to send. It has nothing of the problem's cause. With `publicUrl` it names the page about its code. */
export function problemResponse(
  contract: Contract,
  problem: Problem,
  requestId: string,
  publicUrl?: PublicUrl,
) {
  const { code, options } = problem;
  const { status, type, description } = contract.codeEntry(code, options.type);
  const addressed = (text: string) =>
    withoutKeys(publicUrl ? text.replaceAll(OWN_PATH, (path) => `${publicUrl()}${path}`) : text);
  const faults = (options.faults ?? []).map(({ code: own, message, param = "body" }) => ({
    code: own,
    message: addressed(message),
    param: withoutKeys(param),
  }));
  const body: ErrorBody = {
    error: {
      type,
      code,
      message: addressed(options.message ?? description),
      ...(options.param === undefined ? {} : { param: withoutKeys(options.param) }),
      ...(publicUrl && { doc_url: `${publicUrl()}/docs/errors#${code}` }),
      request_id: requestId,
      ...(options.details === undefined ? {} : { details: options.details }),
      ...(faults.length < 2 ? {} : { errors: faults }),
    },
  };
  const seconds = RETRY_AFTER_SECONDS[status];
  const retry = seconds === undefined ? {} : { "Retry-After": String(seconds) };
  return { status, body, headers: { ...retry, ...options.headers } };
}

/** What only the answer to a caller has; one that waited may be admitted no longer. */
const OF_ADMITTED = ["preference-applied", "ratelimit", "ratelimit-policy"];

/** `publicUrl` is for documents whose errors name their page. */
export function createErrorHandler(contract: Contract, log: Log, publicUrl?: PublicUrl) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const problem = restrictionProblem(request) ?? toProblem(error);
    const { status, body, headers } = problemResponse(contract, problem, request.id, publicUrl);
    request.refusal = body.error;
    const cause = { err: problem.cause, request_id: request.id };
    if (problem.cause !== undefined && status >= 500) {
      if (problem.code === "internal") log.error(cause, "request failed");
      else log.warn(cause, "request refused, unavailable");
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

/**
 * Answers what Node cannot parse, or did not get in time: one response, then the connection closes. One that has sent
 * nothing gets none: browsers open connections in advance, and would take it for the answer to their first request.
 */
export function clientErrorHandler(contract: Contract, newId: NewId, publicUrl: PublicUrl) {
  return ({ code = "" }: NodeJS.ErrnoException, socket: Socket): void => {
    const { _httpMessage: begun } = socket as Socket & { _httpMessage?: ServerResponse };
    const isLost = code === "ECONNRESET" || !socket.writable || begun?.headersSent;
    if (isLost || socket.bytesRead === 0) return void socket.destroy();
    // A refusal of what follows a whole request would be read as the answer to that one.
    if (begun?.req.complete) return void (begun.shouldKeepAlive = false);
    const refused = code === "HPE_HEADER_OVERFLOW" ? "too_long" : "invalid_value";
    const problem = new Problem(refused, { message: PARSER_MESSAGES[code] ?? NOT_HTTP });
    const requestId = newId("req");
    const text = JSON.stringify(problemResponse(contract, problem, requestId, publicUrl).body);
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nRequest-Id: ${requestId}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
    );
  };
}
