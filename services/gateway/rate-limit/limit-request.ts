/** Counts a request against its account's limit and says in its answer how much is left. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../problem.ts";
import { WINDOW_MS } from "./bucket.ts";
import type { LimitKind, TakeRequest } from "./limiter.ts";
import type { Verdict } from "./slice.ts";

export type LimitRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Problem | undefined>;

/**
 * The problem of a request that is over the limit, which is for the caller to throw when it is its turn. Throws 503
 * where the limit cannot be known: then no key can be confirmed either.
 */
export function requestLimiter(deps: { takeRequest: TakeRequest; log: Log }): LimitRequest {
  return async (request, reply) => {
    const { accountId, mode, limits } = callerOf(request);
    const kind = kindOf(request);
    const quota = limits[kind];
    if (quota === 0) return undefined;
    const verdict = await take(deps, { accountId, mode, kind, quota });
    void reply.headers(fieldsOf(kind, verdict));
    return verdict.isAdmitted ? undefined : refusal(verdict);
  };
}

/** Every POST is a create, replays included. */
function kindOf({ method }: FastifyRequest): LimitKind {
  return method === "POST" ? "creates" : "reads";
}

async function take(
  { takeRequest, log }: { takeRequest: TakeRequest; log: Log },
  bucket: Parameters<TakeRequest>[0],
): Promise<Verdict> {
  try {
    return await takeRequest(bucket);
  } catch (error) {
    log.error({ err: error }, "rate limits cannot be read");
    throw new Problem("unavailable");
  }
}

function fieldsOf(kind: LimitKind, verdict: Verdict): Record<string, string> {
  const { quota, remaining, fullInSeconds } = verdict;
  return {
    "RateLimit-Policy": `"${kind}";q=${quota};w=${WINDOW_MS / 1_000}`,
    RateLimit: `"${kind}";r=${remaining};t=${fullInSeconds}`,
  };
}

function refusal({ retryAfterSeconds: seconds }: Verdict): Problem {
  const wait = seconds === 1 ? "1 second" : `${seconds} seconds`;
  return new Problem("rate_limited", {
    message: `Too many requests. Try again in ${wait}.`,
    headers: { "Retry-After": String(seconds) },
  });
}
