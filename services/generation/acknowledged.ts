/** The creates that a process has answered lately: it looks for a repeated one instead of trying to insert it. */
import { LRUCache } from "lru-cache";

const MOST = 10_000;

type Name = { accountId: string; id: string };

/** One that it does not know may be acknowledged all the same, by another process or long ago. */
export type Acknowledged = {
  has: (name: Name) => boolean;
  add: (name: Name) => void;
};

export function acknowledgedCreates(): Acknowledged {
  const names = new LRUCache<string, true>({ max: MOST });
  const keyOf = ({ accountId, id }: Name) => `${accountId} ${id}`;
  return {
    has: (name) => names.has(keyOf(name)),
    add: (name) => void names.set(keyOf(name), true),
  };
}
