/** streamEvents: GET /accounts/{account_id}/events. */
import { PassThrough } from "node:stream";
import { callerOf } from "../../edge/http/request-state.ts";
import { Problem } from "../../edge/http/problem.ts";
import type { SessionDeps } from "../session/deps.ts";
import type { Feeds } from "./feeds.ts";
import { userOf } from "../session/request-state.ts";
import type { DashboardOperation } from "../session/operation.ts";

/** The session and the membership are checked before each update, and this often between them. */
const PING_MS = 15_000;
const RECONNECT_MS = 3_000;
/** A stream is closed when its browser leaves this much unread. */
const MAX_UNREAD_BYTES = 256 * 1024;

export type LiveDeps = SessionDeps & { feeds: Feeds };

export const streamEvents: DashboardOperation<LiveDeps> = (deps) => async (request, reply) => {
  const { accountId, mode } = callerOf(request);
  const slot = deps.openStreams.open(userOf(request).id);
  if (!slot) throw new Problem("too_many_streams");
  void reply.type("text/event-stream").header("x-accel-buffering", "no");
  if (request.method === "HEAD") {
    slot[Symbol.dispose]();
    return "";
  }
  const stream = new PassThrough();
  const write = (text: string) => {
    if (stream.writableLength > MAX_UNREAD_BYTES) stream.destroy();
    else if (!stream.destroyed) stream.write(text);
  };
  const textOf = (event: string, data: object) =>
    `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  write(`retry: ${RECONNECT_MS}\n\n`);
  const updates: string[] = [];
  const feed = deps.feeds.subscribe(accountId, mode, ({ event, data }) => {
    updates.push(textOf(event, data));
    slot.wake();
  });
  const closed = new AbortController();
  const end = () => stream.end();
  deps.feeds.stopped.addEventListener("abort", end, { once: true });
  stream.once("close", () => {
    closed.abort();
    feed[Symbol.dispose]();
    slot[Symbol.dispose]();
    deps.feeds.stopped.removeEventListener("abort", end);
  });
  const stop = AbortSignal.any([closed.signal, deps.feeds.stopped]);
  const watch = async () => {
    while (!stop.aborted) {
      await slot.wait(PING_MS, stop);
      if (stop.aborted) return;
      const refusal = await request.admitAgain?.().catch((error: unknown) => error);
      if (refusal instanceof Problem) write(textOf("ended", {}));
      if (refusal !== undefined) return;
      if (updates.length === 0) write(": here\n\n");
      for (const text of updates.splice(0)) write(text);
    }
  };
  void watch().finally(end);
  return reply.send(stream);
};
