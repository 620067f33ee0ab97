/** Fetches the pictures of tasks for upstreams that take bytes: before a submit, limited for each account. */
import { pictureUrls } from "../../domain/input-urls.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Picture } from "../../domain/job.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import { createBudget, type Share } from "./budget.ts";
import { fetchPictures, type FetchedPictures, type FetchParts } from "./fetch-pictures.ts";

/** "busy": the account's or the process's limit is reached; the task has to be tried again later. */
export type Fetched = FetchedPictures | { kind: "busy" };

/** The pictures of one task: fetched when first asked for, and held in memory until disposed. */
export type TaskPictures = Disposable & {
  /** Throws if the delivery service cannot be reached, or if `signal` aborts. */
  fetch: (signal: AbortSignal) => Promise<Fetched>;
};

export type Pictures = {
  of: (row: GenerationRow) => TaskPictures;
  /** How many more tasks of the account may begin to fetch at this moment. */
  freeSlots: (accountId: string) => number;
};

/** What delivery fetches at most of one URL. */
const MAX_PICTURE_BYTES = 20_000_000;
/** Three pictures of full size and a mask; the body of a request with them takes about three times as much again. */
const LIMITS = { perAccount: 4 * MAX_PICTURE_BYTES, total: 12 * MAX_PICTURE_BYTES };
const MAX_TASKS_PER_ACCOUNT = 4;
const MAX_WAIT_MS = 30_000;

/** One for each process. */
export function createPictures(parts: FetchParts): Pictures {
  const { clock } = parts;
  const budget = createBudget(LIMITS);
  const fetching = new Map<string, number>();

  const counted = async <T>(accountId: string, work: () => Promise<T>): Promise<T> => {
    fetching.set(accountId, (fetching.get(accountId) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (fetching.get(accountId) ?? 0) - 1;
      if (left > 0) fetching.set(accountId, left);
      else fetching.delete(accountId);
    }
  };

  const reserve = (accountId: string, bytes: number, signal: AbortSignal) =>
    withTimeout(clock, MAX_WAIT_MS, signal, (limit) =>
      budget.reserve(accountId, bytes, limit),
    ).catch(() => {
      signal.throwIfAborted();
      return undefined;
    });

  return {
    freeSlots: (accountId) => MAX_TASKS_PER_ACCOUNT - (fetching.get(accountId) ?? 0),
    of: (row) => {
      let share: Share | undefined;
      let fetched: Fetched | undefined;
      const fetchNow = async (signal: AbortSignal): Promise<Fetched> => {
        const urls = pictureUrls(row);
        if (urls.length === 0) return { kind: "fetched", pictures: [] };
        share = await reserve(row.accountId, urls.length * MAX_PICTURE_BYTES, signal);
        if (!share) return { kind: "busy" };
        const result = await fetchPictures(parts, urls, signal);
        share.shrinkTo(result.kind === "fetched" ? bytesOf(result.pictures) : 0);
        return result;
      };
      return {
        fetch: async (signal) => (fetched ??= await counted(row.accountId, () => fetchNow(signal))),
        [Symbol.dispose]: () => {
          fetched = undefined;
          share?.[Symbol.dispose]();
        },
      };
    },
  };
}

function bytesOf(pictures: readonly Picture[]): number {
  return pictures.reduce((sum, { content }) => sum + content.byteLength, 0);
}
