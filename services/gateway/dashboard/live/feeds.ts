/** Live updates of accounts: one poller per account and mode serves all subscribers. */
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { createWakeSignal, type WakeSignal } from "#runtime/wake-signal.ts";
import { inContext } from "#runtime/work-context.ts";
import { changesOf, type Snapshot, type Update } from "./snapshot.ts";

/** The polling interval while a generation is unfinished; the event stream does not carry progress. */
const BUSY_INTERVAL_MS = 1_500;
/** Without unfinished generations events trigger the polling; this interval covers an unavailable event stream. */
const IDLE_INTERVAL_MS = 15_000;

export type Feeds = {
  /** Calls `listener` with the current state and then with each change, until disposed. */
  subscribe: (accountId: string, mode: ModeName, listener: (update: Update) => void) => Disposable;
  /** Polls the account now: something has changed. */
  wake: (accountId: string) => void;
  /** Ends all feeds for good: the service stops. */
  stop: () => void;
  readonly stopped: AbortSignal;
};

export type FeedDeps = {
  clock: Clock;
  log: Log;
  readSnapshot: (accountId: string, mode: ModeName) => Promise<Snapshot>;
};

type Feed = {
  accountId: string;
  listeners: Set<(update: Update) => void>;
  last: Snapshot | undefined;
  /** Ends the wait for the next poll. */
  signal: WakeSignal;
};

/** A feed lives as long as it has subscribers; the first one of an account and mode starts it. */
export function accountFeeds({ clock, log, readSnapshot }: FeedDeps): Feeds {
  const feeds = new Map<string, Feed>();
  const stopping = new AbortController();

  const run = async (key: string, feed: Feed, mode: ModeName) => {
    while (feed.listeners.size > 0 && !stopping.signal.aborted) {
      try {
        const next = await readSnapshot(feed.accountId, mode);
        const updates = changesOf(feed.last, next);
        feed.last = next;
        for (const update of updates) for (const notify of feed.listeners) notify(update);
      } catch (error) {
        log.warn({ err: error, account_id: feed.accountId }, "live updates unavailable, retrying");
      }
      const pauseMs = feed.last?.isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS;
      if (feed.listeners.size > 0) await feed.signal.wait(pauseMs, stopping.signal);
    }
    if (feeds.get(key) === feed) feeds.delete(key);
  };

  return {
    subscribe(accountId, mode, listener) {
      const key = `${accountId} ${mode}`;
      let feed = feeds.get(key);
      if (feed && feed.listeners.size > 0) {
        for (const update of feed.last ? changesOf(undefined, feed.last) : []) listener(update);
        feed.listeners.add(listener);
      } else {
        feed = {
          accountId,
          listeners: new Set([listener]),
          last: undefined,
          signal: createWakeSignal(clock),
        };
        feeds.set(key, feed);
        const started = feed;
        // It goes on for other subscribers when the request that started it has ended.
        void inContext({}, () => run(key, started, mode));
      }
      const joined = feed;
      return {
        [Symbol.dispose]() {
          joined.listeners.delete(listener);
          if (joined.listeners.size === 0) joined.signal.wake();
        },
      };
    },
    wake(accountId) {
      for (const feed of feeds.values()) if (feed.accountId === accountId) feed.signal.wake();
    },
    stop: () => stopping.abort(),
    stopped: stopping.signal,
  };
}
