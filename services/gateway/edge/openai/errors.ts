/** Errors of the public API as clients of OpenAI's API expect them, and whether these clients should repeat the request. */
import { ConnectError } from "@connectrpc/connect";
import type { FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";
import type { Contract } from "../http/contract.ts";
import {
  createErrorHandler,
  type ErrorHandler,
  Problem,
  toProblem,
  type DocUrlOf,
  type ErrorBody,
} from "../http/problem.ts";
import { idempotencyKeyOf } from "../http/document-routes.ts";

/** What the other services call the fields of a request, and the dialect's names. */
const NAMES: readonly [name: RegExp, own: string][] = [
  [/\bimage_urls\b(\[\d+\])?/g, "image"],
  [/\bimage_url\b/g, "input_reference"],
  [/\bduration\b/g, "seconds"],
  [/\baspect_ratio\b/g, "size"],
  [/\/v1\/videos\/generations/g, "/openai/v1/videos"],
  [/ \/v1\//g, " /openai/v1/"],
];

export function dialectErrors(contract: Contract, log: Log, docUrlOf: DocUrlOf): ErrorHandler {
  const answer = createErrorHandler(contract, log, docUrlOf);
  return (error, request, reply) => {
    const problem = toProblem(error);
    const { status } = contract.codeEntry(problem.code, problem.options.type);
    if (!mayRepeat(problem, status, request)) void reply.header("x-should-retry", "false");
    return answer(error instanceof ConnectError ? inDialect(problem) : problem, request, reply);
  };
}

/**
 * OpenAI's clients repeat a 409 and every 5xx, without a key by default. A conflict stays one, and a generation that failed
 * is answered again for its key. A create without a key that may have been accepted would be charged a second time.
 */
function mayRepeat({ code, options }: Problem, status: number, request: FastifyRequest): boolean {
  if (status < 500) return status !== 409;
  const hasKey = idempotencyKeyOf(request) !== undefined;
  if (options.type === "generation_error") return hasKey && code === "generation_timeout";
  const isCreate = request.routeOptions.config.checks?.isCreate === true;
  return hasKey || !isCreate || !request.isChecked;
}

/** The problem with the names of the dialect in place of the public API's. */
function inDialect(problem: Problem): Problem {
  const { message, param, faults, ...rest } = problem.options;
  return new Problem(problem.code, {
    ...rest,
    ...(message === undefined ? {} : { message: renamed(message) }),
    ...(param === undefined ? {} : { param: renamed(param) }),
    ...(faults && {
      faults: faults.map((fault) => ({
        code: fault.code,
        message: renamed(fault.message),
        ...(fault.param === undefined ? {} : { param: renamed(fault.param) }),
      })),
    }),
  });
}

function renamed(text: string): string {
  return NAMES.reduce((changed, [name, own]) => changed.replaceAll(name, own), text);
}

/** Adds `param: null` to an error that has none: OpenAI's clients expect the field. */
export async function withNullParam(
  _request: unknown,
  { statusCode }: { statusCode: number },
  payload: unknown,
): Promise<unknown> {
  if (statusCode < 400) return payload;
  const { error } = payload as ErrorBody;
  return { error: { ...error, param: error.param ?? null } };
}
