/** How this process's receivers answered most recently, and which of each account had the last turn. */
import type { ReceiverName } from "../store/webhook-claims.ts";

const MAX_SLOW = 256;
const MAX_FAST = 256;
/** The limit keeps an account from pushing those of others out of the list of fast receivers. */
const MAX_FAST_PER_ACCOUNT = 8;
const MAX_TURNS = 256;

export type RecentReceivers = {
  /** Records whether the receiver was fast the last time. */
  note: (receiver: ReceiverName, isFast: boolean) => void;
  /** Records that the account had the latest turn, and which of its hosts. */
  noteTurn: (receiver: { accountId: string; host: string }) => void;
  isFast: (receiver: ReceiverName) => boolean;
  /** The lists begin with what was noted longest ago. */
  fast: () => ReceiverName[];
  slow: () => ReceiverName[];
  /** The host of each account that had its last turn. */
  turns: () => ReadonlyMap<string, string>;
};

/** Remembers a limited number of receivers; the ones noted longest ago are dropped first. */
export function recentReceivers(): RecentReceivers {
  const slow = new Set<ReceiverName>();
  const fast = new Set<ReceiverName>();
  const turns = new Map<string, string>();
  return {
    note(receiver, isFast) {
      slow.delete(receiver);
      fast.delete(receiver);
      (isFast ? fast : slow).add(receiver);
      dropOldest(slow, MAX_SLOW);
      if (!isFast) return;
      const account = accountOf(receiver);
      dropOldest(fast, MAX_FAST_PER_ACCOUNT, (one) => accountOf(one) === account);
      dropOldest(fast, MAX_FAST);
    },
    noteTurn({ accountId, host }) {
      turns.delete(accountId);
      turns.set(accountId, host);
      const [oldest] = turns.keys();
      if (turns.size > MAX_TURNS && oldest !== undefined) turns.delete(oldest);
    },
    isFast: (receiver) => fast.has(receiver),
    fast: () => [...fast],
    slow: () => [...slow],
    turns: () => turns,
  };
}

export function receiverName({
  accountId,
  host,
}: {
  accountId: string;
  host: string;
}): ReceiverName {
  return `${accountId} ${host}`;
}

function accountOf(receiver: ReceiverName): string {
  return receiver.slice(0, receiver.indexOf(" "));
}

/** Deletes the first of those that `counts`, where they are more than `max`; all of them count by default. */
function dropOldest(
  receivers: Set<ReceiverName>,
  max: number,
  counts: (one: ReceiverName) => boolean = () => true,
): void {
  const counted = [...receivers].filter(counts);
  const [oldest] = counted;
  if (counted.length > max && oldest !== undefined) receivers.delete(oldest);
}
