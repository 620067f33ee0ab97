/** Fetches the pictures of tasks for upstreams that take bytes: before a submit, limited for each account. */
import type { Client } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { onAbort } from "#runtime/abort.ts";
import { addMs, type Clock } from "#runtime/clock.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { type Failure, unreadableInput } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { pictureUrls, type InputUrl } from "../../domain/input-urls.ts";
import type { Picture } from "../../domain/job.ts";
import { withTimeout } from "../../providers/shared/http.ts";

/** "busy": the account's or the process's limit is reached; the task has to be tried again later. */
export type Fetched = FetchedPictures | { kind: "busy" };

export type Pictures = ReturnType<typeof createPictures>;
/** The pictures of one task: fetched when first asked for, and held in memory until disposed. */
export type TaskPictures = ReturnType<Pictures>;

/** What delivery fetches at most of one URL. */
const MAX_PICTURE_BYTES = 20_000_000;
/** Three pictures of full size and a mask; the body of a request with them takes about three times as much again. */
const LIMITS = { perAccount: 4 * MAX_PICTURE_BYTES, total: 12 * MAX_PICTURE_BYTES };
const MAX_WAIT_MS = 30_000;

/** One for each process. */
export function createPictures(parts: FetchParts) {
  const reserve = createBudget(LIMITS);
  return (row: GenerationRow) => {
    let reservation: Reservation | undefined;
    let fetched: Fetched | undefined;
    const fetchNow = async (signal: AbortSignal): Promise<Fetched> => {
      const urls = pictureUrls(row);
      if (urls.length === 0) return { kind: "fetched", pictures: [] };
      const bytes = urls.length * MAX_PICTURE_BYTES;
      reservation = await withTimeout(parts.clock, MAX_WAIT_MS, signal, (limit) =>
        reserve(row.accountId, bytes, limit),
      ).catch(() => undefined);
      signal.throwIfAborted();
      if (!reservation) return { kind: "busy" };
      const result = await fetchPictures(parts, urls, signal);
      const pictures = result.kind === "fetched" ? result.pictures : [];
      reservation.shrinkTo(pictures.reduce((sum, { content }) => sum + content.byteLength, 0));
      return result;
    };
    return {
      /** Throws if the delivery service cannot be reached, or if `signal` aborts. */
      fetch: async (signal: AbortSignal) => (fetched ??= await fetchNow(signal)),
      [Symbol.dispose]: () => {
        fetched = undefined;
        reservation?.[Symbol.dispose]();
      },
    };
  };
}

export type FetchParts = {
  delivery: Pick<Client<typeof DeliveryService>, "fetchInput">;
  clock: Clock;
  random: () => number;
};

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

/**
 * Through the delivery service, whose HTTP client refuses private addresses. Undefined if the URL has no readable
 * picture, or could not be reached at three tries or until `giveUpAt`. Throws if the delivery service did not answer.
 */
async function fetchPicture(
  { delivery, clock, random }: FetchParts,
  url: string,
  giveUpAt: Date,
  signal: AbortSignal,
): Promise<Picture | undefined> {
  const pauses = PAUSES_MS.map((ms) => ms * (0.75 + random() / 2)).values();
  for (let isFirst = true; ; isFirst = false) {
    const leftMs = giveUpAt.getTime() - clock.now().getTime();
    const answer = await withTimeout(clock, leftMs, signal, (limit) =>
      delivery.fetchInput({ url }, { signal: limit }),
    ).catch((error: unknown) => {
      const [fault] = faultsOf(error);
      // A fault of delivery itself has the reason UNAVAILABLE too, but names no field.
      if (fault?.field === "url")
        return fault.reason === ErrorReason.UNAVAILABLE ? "unreachable" : "unreadable";
      // What was unreachable before is given up; a first try without an answer is delivery's fault.
      if (isFirst || signal.aborted || clock.now() < giveUpAt) throw error;
      return "unreachable";
    });
    if (answer === "unreadable") return undefined;
    if (answer !== "unreachable") return answer;
    const pauseMs = pauses.next().value;
    if (pauseMs === undefined || addMs(clock.now(), pauseMs) >= giveUpAt) return undefined;
    await clock.sleep(pauseMs, signal);
    signal.throwIfAborted();
  }
}

/** A part of the budget, given back when disposed. */
export type Reservation = Disposable & {
  /** Gives back what is not needed of it. */
  shrinkTo: (bytes: number) => void;
};

/**
 * A process's memory for pictures: limited in all and for each account. Who comes first gets it first. What is returned
 * waits for so many bytes, at most an account's whole part. It rejects with the reason of `signal` if that aborts first.
 */
export function createBudget(limits: { total: number; perAccount: number }) {
  const held = new Map<string, number>();
  const waiting = new Set<{ accountId: string; bytes: number; grant: () => void }>();
  let heldInAll = 0;

  const add = (accountId: string, bytes: number) => {
    heldInAll += bytes;
    const left = (held.get(accountId) ?? 0) + bytes;
    if (left > 0) held.set(accountId, left);
    else held.delete(accountId);
  };

  const grantNext = () => {
    for (const waiter of waiting) {
      const { accountId, bytes, grant } = waiter;
      if ((held.get(accountId) ?? 0) + bytes > limits.perAccount) continue;
      // It keeps its turn, or smaller requests would go before it for ever.
      if (heldInAll + bytes > limits.total) return;
      waiting.delete(waiter);
      add(accountId, bytes);
      grant();
    }
  };

  const reservationOf = (accountId: string, reserved: number): Reservation => {
    let bytes = reserved;
    const shrinkTo = (to: number) => {
      add(accountId, Math.min(to, bytes) - bytes);
      bytes = Math.min(to, bytes);
      grantNext();
    };
    return { shrinkTo, [Symbol.dispose]: () => shrinkTo(0) };
  };

  return async (accountId: string, wanted: number, signal: AbortSignal): Promise<Reservation> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter = { accountId, bytes: Math.min(wanted, limits.perAccount), grant: resolve };
    const giveUp = () => {
      waiting.delete(waiter);
      reject(signal.reason as Error);
      grantNext();
    };
    using _listener = onAbort(signal, giveUp);
    waiting.add(waiter);
    grantNext();
    await promise;
    const reservation = reservationOf(accountId, waiter.bytes);
    // Nobody waits for it any more.
    if (signal.aborted) reservation[Symbol.dispose]();
    signal.throwIfAborted();
    return reservation;
  };
}
