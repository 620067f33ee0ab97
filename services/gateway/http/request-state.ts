/** What the gateway remembers of a request and of a route, beside what Fastify does. */
import type { FastifyRequest } from "fastify";
import type { Caller } from "../accounts/authenticate.ts";
import type { OperationChecks } from "./operation-checks.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** Whether nothing more is to be said about the request itself; the operation has begun. */
    isChecked: boolean;
    /** The generation that the request is about, for the log. */
    generationId: string | undefined;
  }
  interface FastifyContextConfig {
    checks?: OperationChecks;
    operationId?: string;
  }
}

/** Who calls; only requests under the document's prefix have passed the check that sets it. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error("this route is not behind authentication");
  return request.caller;
}
