/** Leases of rate limits: this process takes a twentieth of a minute's quota from Postgres and spends it in memory. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type * as store from "../../store/store.ts";
import type { GatewayMetrics } from "../http/app-hooks.ts";
import { Problem } from "../http/problem.ts";
import { callerOf } from "../http/request-state.ts";

const WINDOW_MS = 60_000;
const LEASES_A_WINDOW = 20;

/** An account over its limit causes at most one statement in this time. */
const MIN_PAUSE_MS = 100;

/** Rejects when Postgres is unavailable. */
export type TakeRequest = ReturnType<typeof rateLimiter>;

type Lease = {
  quota: number;
  left: number;
  takenAtMs: number;
  /** What the shared bucket lacked then, as the time in which it refills. */
  missingMs: number;
  /** Until then another lease cannot be had. */
  emptyUntilMs: number;
};

export function rateLimiter(deps: { clock: Clock; takeLease: store.TakeLease }) {
  const { clock, takeLease } = deps;
  const leases = new Map<string, Lease>();
  const underWay = new Map<string, Promise<void>>();
  let sweptAtMs = clock.monotonicMs();

  /** After a minute the bucket is full without what is left of a lease. */
  const isOld = ({ takenAtMs }: Lease) => clock.monotonicMs() - takenAtMs >= WINDOW_MS;
  const sweep = () => {
    if (clock.monotonicMs() - sweptAtMs < WINDOW_MS) return;
    sweptAtMs = clock.monotonicMs();
    for (const [key, lease] of leases) if (isOld(lease)) leases.delete(key);
  };
  const renew = async (key: string, bucket: store.RateBucket) => {
    sweep();
    const { quota } = bucket;
    const wanted = Math.max(1, Math.floor(quota / LEASES_A_WINDOW));
    const at = clock.now();
    const { granted, fullAt } = await takeLease(bucket, wanted, at);
    const missingMs = Math.max(0, fullAt.getTime() - at.getTime());
    const takenAtMs = clock.monotonicMs();
    const pauseMs = Math.max(MIN_PAUSE_MS, missingMs + WINDOW_MS / quota - WINDOW_MS);
    const emptyUntilMs = granted < wanted ? takenAtMs + pauseMs : 0;
    leases.set(key, { quota, left: granted, takenAtMs, missingMs, emptyUntilMs });
  };

  return async (bucket: store.RateBucket) => {
    const key = `${bucket.accountId} ${bucket.mode} ${bucket.kind}`;
    for (;;) {
      const lease = leases.get(key);
      if (lease?.quota === bucket.quota && !isOld(lease)) {
        const nowMs = clock.monotonicMs();
        if (lease.left > 0 || nowMs < lease.emptyUntilMs) return spend(lease, nowMs);
      }
      let renewal = underWay.get(key);
      if (!renewal) {
        renewal = renew(key, bucket).finally(() => underWay.delete(key));
        underWay.set(key, renewal);
      }
      await renewal;
    }
  };
}

/** Refuses where nothing is left. */
function spend(lease: Lease, nowMs: number) {
  const isAdmitted = lease.left > 0;
  if (isAdmitted) lease.left -= 1;
  const oneMs = WINDOW_MS / lease.quota;
  const missingMs = lease.missingMs - (nowMs - lease.takenAtMs) - lease.left * oneMs;
  const heldMs = WINDOW_MS - Math.max(0, missingMs);
  return {
    isAdmitted,
    /** Requests left now. */
    remaining: isAdmitted ? Math.floor(heldMs / oneMs + 0.001) : 0,
    fullInSeconds: Math.min(60, Math.ceil(Math.max(0, missingMs) / 1_000)),
    retryAfterSeconds: Math.max(1, Math.ceil((oneMs - heldMs) / 1_000)),
  };
}

type LimiterDeps = { takeRequest: TakeRequest; log: Log; metrics: GatewayMetrics };

/**
 * Returns the problem of a request over the limit, to be thrown after earlier checks. Throws 503 without Postgres. Every
 * POST counts as a create if nothing else is said, replays included.
 */
export function requestLimiter({ takeRequest, log, metrics }: LimiterDeps) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    kind: store.RateBucket["kind"] = request.method === "POST" ? "creates" : "reads",
  ): Promise<Problem | undefined> => {
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
