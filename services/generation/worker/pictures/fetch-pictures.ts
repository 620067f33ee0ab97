/** Fetches a task's pictures, each with a few tries within a minute. */
import { addMs, type Clock } from "#runtime/clock.ts";
import { unreadableInput, type Failure } from "../../domain/failures.ts";
import type { InputUrl } from "../../domain/input-urls.ts";
import type { Picture } from "../../domain/job.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import type { FetchInput } from "./fetch-input.ts";

export type FetchParts = { fetchInput: FetchInput; clock: Clock; random: () => number };

export type FetchedPictures =
  | { kind: "fetched"; pictures: readonly Picture[] }
  /** A picture could not be read; the task fails. */
  | { kind: "failed"; failure: Failure };

const FETCH_WITHIN_MS = 60_000;
/** The waits after the first and the second try; ±25 %. */
const PAUSES_MS = [1_000, 4_000];

/** Fetches all at once; the first that fails ends the others. Throws if delivery cannot be reached. */
export async function fetchPictures(
  parts: FetchParts,
  urls: readonly InputUrl[],
  signal: AbortSignal,
): Promise<FetchedPictures> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const giveUpAt = addMs(parts.clock.now(), FETCH_WITHIN_MS);
  let failure: Failure | undefined;
  const fetchOne = async ({ field, url }: InputUrl): Promise<Picture[]> => {
    const picture = await fetchPicture(parts, url, giveUpAt, either);
    if (picture) return [picture];
    failure ??= unreadableInput(field);
    over.abort(failure);
    return [];
  };
  const pictures = await Promise.all(urls.map(fetchOne)).catch((error: unknown) => {
    if (failure) return [];
    over.abort(error);
    throw error;
  });
  return failure ? { kind: "failed", failure } : { kind: "fetched", pictures: pictures.flat() };
}

/** Undefined if the URL has no readable picture, or could not be reached at three tries or until `giveUpAt`. */
async function fetchPicture(
  { fetchInput, clock, random }: FetchParts,
  url: string,
  giveUpAt: Date,
  signal: AbortSignal,
): Promise<Picture | undefined> {
  const pauses = PAUSES_MS.map((ms) => ms * (0.75 + random() / 2)).values();
  for (let isFirst = true; ; isFirst = false) {
    const leftMs = giveUpAt.getTime() - clock.now().getTime();
    const answer = await withTimeout(clock, leftMs, signal, (limit) =>
      fetchInput(url, limit),
    ).catch((error: unknown) => {
      // What was unreachable before is given up; a first try without an answer is delivery's fault.
      if (isFirst || signal.aborted || clock.now() < giveUpAt) throw error;
      return "unreachable" as const;
    });
    if (answer === "unreadable") return undefined;
    if (answer !== "unreachable") return answer;
    const pauseMs = pauses.next().value;
    if (pauseMs === undefined || addMs(clock.now(), pauseMs) >= giveUpAt) return undefined;
    await clock.sleep(pauseMs, signal);
    signal.throwIfAborted();
  }
}
