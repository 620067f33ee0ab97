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
};

/** What delivery fetches at most of one URL. */
const MAX_PICTURE_BYTES = 20_000_000;
/** Three pictures of full size and a mask; the body of a request with them takes about three times as much again. */
const LIMITS = { perAccount: 4 * MAX_PICTURE_BYTES, total: 12 * MAX_PICTURE_BYTES };
const MAX_WAIT_MS = 30_000;

/** One for each process. */
export function createPictures(parts: FetchParts): Pictures {
  const { clock } = parts;
  const budget = createBudget(LIMITS);

  const reserve = (accountId: string, bytes: number, signal: AbortSignal) =>
    withTimeout(clock, MAX_WAIT_MS, signal, (limit) =>
      budget.reserve(accountId, bytes, limit),
    ).catch(() => {
      signal.throwIfAborted();
      return undefined;
    });

  return {
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
        fetch: async (signal) => (fetched ??= await fetchNow(signal)),
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
