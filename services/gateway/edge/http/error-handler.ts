/** Maps any error to the response of a problem, and logs the causes of those that are not the client's fault. */
import type { FastifyReply, FastifyRequest } from "fastify";
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
