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

const MOST_STREAMS = 8;
const PING_MS = 15_000;
const RECONNECT_MS = 3_000;
/** A browser that does not read any more is let go. */
const MOST_UNREAD_BYTES = 256 * 1024;

export const streamEvents: DashboardOperation = (deps) => {
  const open = new Map<string, number>();
  return async (request, reply) => {
    const { accountId, mode } = callerOf(request);
    const { id: userId } = userOf(request);
    const streams = open.get(userId) ?? 0;
    if (streams >= MOST_STREAMS) throw new Problem("too_many_streams");
    void reply.type("text/event-stream").header("x-accel-buffering", "no");
    if (request.method === "HEAD") return "";
    open.set(userId, streams + 1);
    const stream = new PassThrough();
    const write = (text: string) => {
      if (stream.writableLength > MOST_UNREAD_BYTES) stream.destroy();
      else if (!stream.destroyed) stream.write(text);
    };
    write(`retry: ${RECONNECT_MS}\n\n`);
    const feed = deps.feeds.subscribe(accountId, mode, ({ event, data }) =>
      write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    );
    const gone = new AbortController();
    const end = () => stream.end();
    deps.feeds.stopped.addEventListener("abort", end, { once: true });
    stream.once("close", () => {
      gone.abort();
      feed[Symbol.dispose]();
      deps.feeds.stopped.removeEventListener("abort", end);
      const left = (open.get(userId) ?? 1) - 1;
      if (left === 0) open.delete(userId);
      else open.set(userId, left);
    });
    void ping(deps, request, write, gone.signal).finally(end);
    return reply.send(stream);
  };
};

/** Keeps the connection open for as long as the session and the membership last. */
async function ping(
  deps: DashboardDeps,
  request: FastifyRequest,
  write: (text: string) => void,
  gone: AbortSignal,
): Promise<void> {
  while (!gone.aborted && !deps.feeds.stopped.aborted) {
    await deps.clock.sleep(PING_MS, AbortSignal.any([gone, deps.feeds.stopped]));
    const isAllowed = await mayStillSee(deps, request).catch(() => false);
    if (!isAllowed) return;
    write(": here\n\n");
  }
}

async function mayStillSee(deps: DashboardDeps, request: FastifyRequest): Promise<boolean> {
  const { api } = await deps.auth();
  const session = await api.getSession({ headers: cookieOf(request) });
  if (session?.user.id !== userOf(request).id) return false;
  const membership = await findMembership(deps.sql, callerOf(request).accountId, session.user.id);
  return membership !== undefined;
}
