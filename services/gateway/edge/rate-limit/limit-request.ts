/** Counts a request against its account's rate limit and adds the RateLimit headers to its response. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";
import { callerOf } from "../http/request-state.ts";
import type { GatewayMetrics } from "../http/metrics.ts";
import { Problem } from "../http/problem.ts";
import { WINDOW_MS } from "./bucket.ts";
import type { LimitKind, TakeRequest } from "./limiter.ts";
import type { Decision } from "./slice.ts";

export type LimitRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  /** What it counts as; a POST is a create if nothing is said. */
  kind?: LimitKind,
) => Promise<Problem | undefined>;

/**
 * Returns the problem of a request over the limit, for the caller to throw after checks that take precedence. Throws
 * 503 when Postgres is unavailable; API keys cannot be confirmed then either.
 */
export function requestLimiter(deps: {
  takeRequest: TakeRequest;
  log: Log;
  metrics: Pick<GatewayMetrics, "rateLimited">;
}): LimitRequest {
  return async (request, reply, kind = kindOf(request)) => {
    const { accountId, mode, limits } = callerOf(request);
    const quota = limits[kind];
    if (quota === 0) return undefined;
    const decision = await take(deps, { accountId, mode, kind, quota });
    void reply.headers(rateLimitHeaders(kind, decision));
    if (decision.isAdmitted) return undefined;
    deps.metrics.rateLimited.inc({ kind });
    return refusal(kind, decision);
  };
}

/** Every POST is a create, replays included. */
function kindOf({ method }: FastifyRequest): LimitKind {
  return method === "POST" ? "creates" : "reads";
}

async function take(
  { takeRequest, log }: { takeRequest: TakeRequest; log: Log },
  bucket: Parameters<TakeRequest>[0],
): Promise<Decision> {
  try {
    return await takeRequest(bucket);
  } catch (error) {
    log.error({ err: error }, "rate limits unavailable");
    throw new Problem("unavailable");
  }
}

function rateLimitHeaders(kind: LimitKind, decision: Decision): Record<string, string> {
  const { quota, remaining, fullInSeconds } = decision;
  return {
    "RateLimit-Policy": `"${kind}";q=${quota};w=${WINDOW_MS / 1_000}`,
    RateLimit: `"${kind}";r=${remaining};t=${fullInSeconds}`,
  };
}

function refusal(kind: LimitKind, { quota, retryAfterSeconds: seconds }: Decision): Problem {
  const wait = seconds === 1 ? "1 second" : `${seconds} seconds`;
  return new Problem("rate_limited", {
    message: `More than ${quota} ${kind} a minute. Try again in ${wait}.`,
    headers: { "Retry-After": String(seconds) },
  });
}
