/** Answers a request with the problem that its error is, and logs what is ours to mend. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";
import type { Contract } from "../contract.ts";
import { Problem, problemAnswer, toProblem } from "../problem.ts";

export type AnswerError = (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply;

export function errorAnswerer(contract: Contract, log: Log): AnswerError {
  return (error, request, reply) => {
    const problem = barred(request) ?? toProblem(error);
    const { status, body, headers } = problemAnswer(contract, problem, request.id);
    if (problem.code === "internal" && problem.cause !== undefined) {
      log.error({ err: problem.cause, request_id: request.id }, "request failed");
    }
    return reply.code(status).headers(headers).type("application/json; charset=utf-8").send(body);
  };
}

/** A caller that may not create hears so before anything that is wrong with its request. */
function barred(request: FastifyRequest): Problem | undefined {
  const isCreate = request.routeOptions.config.checks?.isCreate === true;
  const bar = request.caller?.bar;
  return bar !== undefined && isCreate && !request.isChecked ? new Problem(bar) : undefined;
}
