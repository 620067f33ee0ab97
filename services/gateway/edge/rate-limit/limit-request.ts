/** Counts a request against its account's rate limit and adds the RateLimit headers to its response. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "#runtime/log.ts";
import type { RateBucket } from "../../store/rate-limits.ts";
import type { GatewayMetrics } from "../http/app-hooks.ts";
import { Problem } from "../http/problem.ts";
import { callerOf } from "../http/request-state.ts";
import { WINDOW_MS, type TakeRequest } from "./limiter.ts";

export type LimitRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  /** What it counts as. Every POST is a create if nothing is said, replays included. */
  kind?: RateBucket["kind"],
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
  const { takeRequest, log, metrics } = deps;
  return async (request, reply, kind = request.method === "POST" ? "creates" : "reads") => {
    const { accountId, mode, limits } = callerOf(request);
    const quota = limits[kind];
    if (quota === 0) return undefined;
    const decision = await takeRequest({ accountId, mode, kind, quota }).catch((error: unknown) => {
      log.error({ err: error }, "rate limits unavailable");
      throw new Problem("unavailable");
    });
    void reply.headers({
      "RateLimit-Policy": `"${kind}";q=${quota};w=${WINDOW_MS / 1_000}`,
      RateLimit: `"${kind}";r=${decision.remaining};t=${decision.fullInSeconds}`,
    });
    if (decision.isAdmitted) return undefined;
    metrics.rateLimited.inc({ kind });
    const seconds = decision.retryAfterSeconds;
    return new Problem("rate_limited", {
      message: `More than ${quota} ${kind} a minute. Try again in ${seconds} second${seconds === 1 ? "" : "s"}.`,
      headers: { "Retry-After": String(seconds) },
    });
  };
}
