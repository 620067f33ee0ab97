/** The preferences `wait` and `respond-async` of the Prefer header. */
import type { FastifyRequest } from "fastify";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ENDED } from "#runtime/abort.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { generationStatusName, isTerminal } from "#vocabulary/names.ts";
import { Problem } from "../http/problem.ts";
import { callerOf, type Call } from "../http/request-state.ts";
import type { WaitingRequests } from "./waiting-requests.ts";

/** A read that failed is repeated after this time. */
const RETRY_MS = 1_000;

export type WaitDeps = { clock: Clock; waitingRequests: WaitingRequests; log: Log };

export type Reads = {
  generationId: string;
  /** Creates the generation, or reads it for the first time; its errors are the response. */
  first: () => Promise<Generation>;
  /** Absent where `first` reads, too. */
  again?: () => Promise<Generation>;
};

type Wait = Reads & {
  /** How long; absent: until the end. */
  seconds?: number;
  /** Says what is known at least this often, and at each change of status or progress; absent: at the end only. */
  everyMs?: number;
  /** Whether it waits even where too many of the account wait, and while the service stops: the answer is the end. */
  always?: boolean;
  /** Called after `first`, once it is known that the wait begins. */
  onFirst?: () => void;
};

/** Answers at once if `Prefer` has no wait, or if too many requests of the account wait already. */
export async function waitForCompletion(call: Call<WaitDeps>, reads: Reads): Promise<Generation> {
  const { waitSeconds: seconds } = preferencesOf(call.request);
  if (seconds === undefined) return reads.first();
  const onFirst = () => void call.reply.header("Preference-Applied", `wait=${seconds}`);
  return waitForEnd(call, { ...reads, seconds, onFirst });
}

/** Aborts when the client has gone. */
export function closedSignal({ reply }: Pick<Call<unknown>, "reply">): AbortSignal {
  const closed = new AbortController();
  if (reply.raw.destroyed) closed.abort(ENDED);
  reply.raw.once("close", () => closed.abort(ENDED));
  return closed.signal;
}

/** The generation at its end or after the time. `tell` hears of it before. */
export async function waitForEnd(
  call: Call<WaitDeps>,
  wait: Wait,
  tell?: (generation: Generation) => Promise<void>,
): Promise<Generation> {
  let last!: Generation;
  for await (last of statesOf(call, wait)) if (!hasEnded(last)) await tell?.(last);
  return last;
}

/**
 * The generation at first, then whenever it has changed or `everyMs` are over, until it has ended or the wait is over. The
 * caller is admitted again before each but the first. Throws once it may not be read any more.
 */
export async function* statesOf(call: Call<WaitDeps>, wait: Wait) {
  const { request } = call;
  const { clock, waitingRequests, log } = call.deps;
  const { waiters } = waitingRequests;
  const signal = closedSignal(call);
  const { generationId, first, again = first, always = false } = wait;
  const { seconds = Infinity, everyMs = Infinity } = wait;
  const { accountId } = callerOf(request);
  const forChanges = everyMs < Infinity;
  using waiter = waitingRequests.begin({ accountId, generationId, forChanges, always });
  const nowMs = () => clock.now().getTime();
  const endMs = nowMs() + seconds * 1_000;
  const leftMs = () => endMs - nowMs();
  const mayWait = () => leftMs() > 0 && (always || !waiters.isStopped) && !signal.aborted;
  let generation = await first();
  if (waiter) {
    request.turn?.pause();
    wait.onFirst?.();
  }
  yield generation;
  let saidMs = nowMs();
  let hasFailed = false;
  while (waiter && !hasEnded(generation) && mayWait()) {
    const ms = Math.min(leftMs(), hasFailed ? RETRY_MS : everyMs);
    let isDue = hasFailed || waiters.isStopped;
    // Nobody is woken any more once the service stops.
    if (waiters.isStopped) await clock.sleep(Math.min(ms, RETRY_MS), signal);
    else if (await waiter.wait(ms, signal)) isDue = true;
    if (signal.aborted) return;
    try {
      await request.admitAgain?.();
      if (isDue || leftMs() <= 0) generation = await again();
      hasFailed = false;
    } catch (error) {
      if (isRefused(error)) throw error;
      if (!hasFailed)
        log.warn(
          { err: error, generation_id: generationId },
          "generation unavailable while a response waits, retrying",
        );
      hasFailed = true;
      if (nowMs() - saidMs < everyMs) continue;
    }
    yield generation;
    saidMs = nowMs();
  }
}

function hasEnded({ status }: Generation): boolean {
  return isTerminal(generationStatusName(status));
}

/** Whether the caller may not read it any more. That nobody can say is no refusal: the answer would lack the id. */
function isRefused(error: unknown): boolean {
  return error instanceof Problem && error.code !== "unavailable";
}

/** The longest wait, as the document states it. */
const MAX_WAIT_SECONDS = 60;
/** Nothing is read of a longer header. */
const MAX_CHARACTERS = 1_000;
const QUOTED = /"(?:[^"\\]|\\.)*"?/g;

/** RFC 7240: nothing is an error, and of preferences of one name the first counts. A bare `wait` is the longest. */
export function preferencesOf({ headers }: Pick<FastifyRequest, "headers">) {
  const given = headers["prefer"]?.toString() ?? "";
  if (given === "" || given.length > MAX_CHARACTERS) {
    return { waitSeconds: undefined, respondAsync: false };
  }
  // What divides preferences divides nothing within quotes.
  const prefer = given.replaceAll(QUOTED, (quoted) => quoted.replaceAll(/[,;=]/g, " "));
  const preferences = prefer.split(",").map((preference) => {
    const [name = "", value = ""] = (preference.split(";", 1)[0] ?? "").split("=", 2);
    return [name.trim().toLowerCase(), value.trim().replaceAll(/^"|"$/g, "")] as const;
  });
  const valueOf = new Map(preferences.toReversed());
  const wait = valueOf.get("wait") ?? "0";
  const seconds = wait === "" ? MAX_WAIT_SECONDS : /^\d+$/.test(wait) ? Number(wait) : 0;
  return {
    /** Undefined where no wait is asked for, or one that is not a whole number of seconds. */
    waitSeconds: Math.min(seconds, MAX_WAIT_SECONDS) || undefined,
    respondAsync: valueOf.has("respond-async"),
  };
}
