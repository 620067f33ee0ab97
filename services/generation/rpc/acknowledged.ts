/** The creates that a process has answered lately: it looks for a repeated one instead of trying to insert it. */
import { LRUCache } from "lru-cache";
import { rowKey, type RowName } from "../domain/generation.ts";

const MAX_CREATES = 10_000;

/** One that it does not know may be acknowledged all the same, by another process or long ago. */
export type Acknowledged = {
  has: (name: RowName) => boolean;
  add: (name: RowName) => void;
};

export function acknowledgedCreates(): Acknowledged {
  const keys = new LRUCache<string, true>({ max: MAX_CREATES });
  return {
    has: (name) => keys.has(rowKey(name)),
    add: (name) => void keys.set(rowKey(name), true),
  };
}
