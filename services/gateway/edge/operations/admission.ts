/** Admits requests by their API key, within the rate limit of its account. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { authenticate } from "../http/authenticate.ts";
import type { Problem } from "../http/problem.ts";
import { requestLimiter } from "../rate-limit/limit-request.ts";
import type { Deps } from "./deps.ts";

/** Sets the caller. Returns the problem of a request over the limit, for the caller to throw after what takes precedence. */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>;

export function admitByKey(deps: Deps): Admit {
  const limitRequest = requestLimiter(deps);
  return async (request, reply) => {
    await authenticate(deps, request);
    return limitRequest(request, reply);
  };
}
