/** The gateway's additions to Fastify's request and route types. */
import type { FastifyRequest } from "fastify";
import type { Turn } from "#runtime/load-limit.ts";
import type { OpenSpan } from "#runtime/tracing/tracer.ts";
import type { ErrorCode } from "../validation/error-codes.ts";
import type { Caller } from "./authenticate.ts";
import type { OperationChecks } from "./operation-checks.ts";
import type { HeldBytes } from "./upload-memory.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** Admits the caller again. Throws once it may no longer have answers, or nobody can say. */
    admitAgain: (() => Promise<void>) | undefined;
    /** Whether the request has passed all checks and the operation has begun. */
    isChecked: boolean;
    /** The generation that the request concerns, for the log. */
    generationId: string | undefined;
    /** The code of the problem that is the answer, for the request log. */
    errorCode: ErrorCode | undefined;
    /** Where the fault is, as the answer says it. */
    errorParam: string | undefined;
    /** Set once the request is in progress. */
    turn: Turn | undefined;
    /** The bytes of its body that are in memory; set where they are counted. */
    held: HeldBytes | undefined;
    /** The span of the whole request; undefined for probes. */
    span: OpenSpan | undefined;
  }
  interface FastifyContextConfig {
    checks?: OperationChecks;
    operationId?: string;
  }
}

/** The authenticated caller. Throws on routes outside of the documents, which have none. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error("this route does not authenticate");
  return request.caller;
}
