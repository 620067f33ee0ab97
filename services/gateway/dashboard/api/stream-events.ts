/** streamEvents: GET /accounts/{account_id}/events. */
import { PassThrough } from "node:stream";
import type { FastifyRequest } from "fastify";
import { callerOf } from "../../http/request-state.ts";
import { Problem } from "../../problem.ts";
import { findMembership } from "../../store/memberships.ts";
import type { DashboardDeps } from "../deps.ts";
import { userOf } from "../request-state.ts";
import { cookieOf } from "../sessions.ts";
import type { DashboardOperation } from "./operation.ts";

const MAX_STREAMS = 8;
const PING_MS = 15_000;
const RECONNECT_MS = 3_000;
/** A stream is closed when its browser leaves this much unread. */
const MAX_UNREAD_BYTES = 256 * 1024;

export const streamEvents: DashboardOperation = (deps) => {
  const open = new Map<string, number>();
  return async (request, reply) => {
    const { accountId, mode } = callerOf(request);
    const { id: userId } = userOf(request);
    const streams = open.get(userId) ?? 0;
    if (streams >= MAX_STREAMS) throw new Problem("too_many_streams");
    void reply.type("text/event-stream").header("x-accel-buffering", "no");
    if (request.method === "HEAD") return "";
    open.set(userId, streams + 1);
    const stream = new PassThrough();
    const write = (text: string) => {
      if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy();
      else if (!stream.destroyed) stream.write(text);
    };
    write(`retry: ${RECONNECT_MS}\n\n`);
    const feed = deps.feeds.subscribe(accountId, mode, ({ event, data }) =>
      write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    );
    const closed = new AbortController();
    const end = () => stream.end();
    deps.feeds.stopped.addEventListener("abort", end, { once: true });
    stream.once("close", () => {
      closed.abort();
      feed[Symbol.dispose]();
      deps.feeds.stopped.removeEventListener("abort", end);
      const remaining = (open.get(userId) ?? 1) - 1;
      if (remaining === 0) open.delete(userId);
      else open.set(userId, remaining);
    });
    void ping(deps, request, write, closed.signal).finally(end);
    return reply.send(stream);
  };
};

/** Pings the browser until the session or the membership ends. */
async function ping(
  deps: DashboardDeps,
  request: FastifyRequest,
  write: (text: string) => void,
  closed: AbortSignal,
): Promise<void> {
  while (!closed.aborted && !deps.feeds.stopped.aborted) {
    await deps.clock.sleep(PING_MS, AbortSignal.any([closed, deps.feeds.stopped]));
    if (!(await isStillAllowed(deps, request).catch(() => false))) return;
    write(": here\n\n");
  }
}

async function isStillAllowed(deps: DashboardDeps, request: FastifyRequest): Promise<boolean> {
  const { api } = await deps.auth();
  const session = await api.getSession({ headers: cookieOf(request) });
  if (session?.user.id !== userOf(request).id) return false;
  const membership = await findMembership(deps.sql, callerOf(request).accountId, session.user.id);
  return membership !== undefined;
}
