/** Collects how requests of API keys were answered and writes them in batches, behind the requests. */
import type { Base } from "#runtime/service/service.ts";
import { isQuietRead } from "../domain/requests.ts";
import * as store from "../store/store.ts";

/** What waits to be written: at most about 10 MB. */
export const MAX_WAITING = 20_000;
/** Rows of one statement, which holds the process for some milliseconds. */
const MAX_BATCH = 500;
/**
 * How many requests of an account that change nothing are kept between two turns, about a second: successful reads and
 * refusals by the rate limit. A row costs Postgres a third of what a read costs in all.
 */
export const MAX_IDLE_A_TURN = 20;

export type RequestLog = ReturnType<typeof requestLog>;

type RequestLogDeps = Pick<Base, "sql" | "log"> & {
  /** Postgres was slow or away, or their account sent too many that change nothing. */
  countDropped: (cause: "postgres" | "share", requests: number) => void;
};

export function requestLog({ sql, log, countDropped }: RequestLogDeps) {
  const waiting: store.AnsweredRequest[] = [];
  /** Requests since the last turn that change nothing, by account. */
  const idle = new Map<string, number>();
  let beyondShare = 0;
  function isBeyondShare({ accountId, method, status }: store.AnsweredRequest): boolean {
    if (status !== 429 && !isQuietRead(method, status)) return false;
    const count = (idle.get(accountId) ?? 0) + 1;
    idle.set(accountId, count);
    return count > MAX_IDLE_A_TURN;
  }
  return {
    /** Never waits; a request beyond the buffer is dropped. False: its account sent more than its part. */
    record(request: store.AnsweredRequest): boolean {
      if (isBeyondShare(request)) {
        beyondShare += 1;
        return false;
      }
      if (waiting.length >= MAX_WAITING) countDropped("postgres", 1);
      else waiting.push(request);
      return true;
    },
    /** Writes what waits. Never rejects: what cannot be written is dropped. */
    async flush() {
      idle.clear();
      if (beyondShare > 0) countDropped("share", beyondShare);
      beyondShare = 0;
      // Those that come meanwhile are for the next turn.
      for (let left = waiting.length; left > 0; left -= MAX_BATCH) {
        const batch = waiting.splice(0, MAX_BATCH);
        try {
          await store.insertRequests(sql, batch);
        } catch (error) {
          countDropped("postgres", batch.length);
          log.warn({ err: error }, "a part of the request log is lost");
          return;
        }
      }
    },
  };
}
