/** What changes in an account, told to those who look at it: one look for all of them, never one each. */
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { ModeName } from "#runtime/mode.ts";
import { createWakeSignal } from "#runtime/wake-signal.ts";
import type { WakeSignal } from "#runtime/wake-signal.ts";
import type { Snapshot } from "./snapshot.ts";
import { changesOf } from "./snapshot.ts";
import type { Update } from "./snapshot.ts";

/** While something is unfinished, its progress is looked at; otherwise events wake the feed, if the event stream is up. */
const BUSY_MS = 1_500;
const IDLE_MS = 15_000;

export type Feeds = {
  /** Tells `hear` what is there and what changes from now on, until it is disposed. */
  subscribe: (accountId: string, mode: ModeName, hear: (update: Update) => void) => Disposable;
  /** Reads the account now, because something changed in it. */
  wake: (accountId: string) => void;
  /** Ends all of them, for good: the service stops. */
  stop: () => void;
  readonly stopped: AbortSignal;
};

export type FeedDeps = {
  clock: Clock;
  log: Log;
  look: (accountId: string, mode: ModeName) => Promise<Snapshot>;
};

type Feed = {
  accountId: string;
  listeners: Set<(update: Update) => void>;
  last: Snapshot | undefined;
  signal: WakeSignal;
};

export function accountFeeds({ clock, log, look }: FeedDeps): Feeds {
  const feeds = new Map<string, Feed>();
  const stopping = new AbortController();

  const run = async (key: string, feed: Feed, mode: ModeName) => {
    while (feed.listeners.size > 0 && !stopping.signal.aborted) {
      try {
        const next = await look(feed.accountId, mode);
        const updates = changesOf(feed.last, next);
        feed.last = next;
        for (const update of updates) for (const hear of feed.listeners) hear(update);
      } catch (error) {
        log.warn({ err: error, account_id: feed.accountId }, "live updates cannot be read");
      }
      const pauseMs = feed.last?.isBusy ? BUSY_MS : IDLE_MS;
      if (feed.listeners.size > 0) await feed.signal.wait(pauseMs, stopping.signal);
    }
    if (feeds.get(key) === feed) feeds.delete(key);
  };

  return {
    subscribe(accountId, mode, hear) {
      const key = `${accountId} ${mode}`;
      let feed = feeds.get(key);
      if (feed && feed.listeners.size > 0) {
        for (const update of feed.last ? changesOf(undefined, feed.last) : []) hear(update);
        feed.listeners.add(hear);
      } else {
        feed = {
          accountId,
          listeners: new Set([hear]),
          last: undefined,
          signal: createWakeSignal(clock),
        };
        feeds.set(key, feed);
        void run(key, feed, mode);
      }
      const joined = feed;
      return {
        [Symbol.dispose]() {
          joined.listeners.delete(hear);
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
