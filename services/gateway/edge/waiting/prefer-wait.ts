/** The preferences `wait` and `respond-async` of the Prefer header. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { generationStatusName, isTerminal } from "#vocabulary/names.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { Problem } from "../http/problem.ts";
import { callerOf } from "../http/request-state.ts";
import type { WaitingRequests } from "./waiting-requests.ts";

/** A read that failed is repeated after this time. */
const RETRY_MS = 1_000;

type Reads = {
  generationId: string;
  /** Creates the generation, or reads it for the first time; its errors are the response. */
  first: () => Promise<Generation>;
  again: () => Promise<Generation>;
};

type WaitDeps = { clock: Clock; waitingRequests: WaitingRequests; log: Log };

/** Answers at once if `Prefer` has no wait, or if too many requests of the account wait already. */
export async function waitForCompletion(
  deps: WaitDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  reads: Reads,
): Promise<Generation> {
  const { waitSeconds: seconds } = preferencesOf(request);
  if (seconds === undefined) return reads.first();
  return waitForEnd(deps, request, {
    ...reads,
    seconds,
    signal: closedSignal(reply),
    onFirst: () => {
      request.turn?.pause();
      void reply.header("Preference-Applied", `wait=${seconds}`);
    },
  });
}

/** Aborts when the client has gone. */
export function closedSignal(reply: FastifyReply): AbortSignal {
  const closed = new AbortController();
  reply.raw.once("close", () => closed.abort());
  return closed.signal;
}

export type EndWait = Reads & {
  seconds: number;
  /** Whether it waits even where too many of the account are waited for, and while the service stops: the answer is the end. */
  always?: boolean;
  /** Ends the wait: nobody is left to hear of the end. */
  signal: AbortSignal;
  /** Called once it is known that the wait begins, with the generation read. */
  onFirst?: () => void;
  /** Told of the generation before each wait for it, at least each `everyMs`. */
  watch?: { everyMs: number; tell: (generation: Generation) => Promise<void> };
};

/** The generation at its end or after the time. The caller is admitted again before each further read. */
export async function waitForEnd(
  { clock, waitingRequests, log }: WaitDeps,
  request: FastifyRequest,
  { generationId, first, again, seconds, always = false, signal, onFirst, watch }: EndWait,
): Promise<Generation> {
  const { accountId } = callerOf(request);
  const waitMs = seconds * 1_000;
  const forChanges = watch !== undefined;
  using waiter = waitingRequests.begin({ accountId, generationId, forChanges, always });
  if (!waiter) return await first();
  const startedMs = clock.now().getTime();
  const leftMs = () => waitMs - (clock.now().getTime() - startedMs);
  let generation = await first();
  onFirst?.();
  const longest = watch?.everyMs ?? waitMs;
  let longestMs = longest;
  const mayWait = () => leftMs() > 0 && (always || !waitingRequests.isStopped) && !signal.aborted;
  while (!isTerminal(generationStatusName(generation.status)) && mayWait()) {
    await watch?.tell(generation);
    // Nobody is woken any more once the service stops.
    if (waitingRequests.isStopped) await clock.sleep(Math.min(leftMs(), RETRY_MS), signal);
    else await waiter.wait(Math.min(leftMs(), longestMs), signal);
    if (signal.aborted) break;
    try {
      await request.admitAgain?.();
      generation = await again();
      longestMs = longest;
    } catch (error) {
      if (reasonOf(error) === ErrorReason.GENERATION_DELETED || isRefused(error)) throw error;
      longestMs = RETRY_MS;
      log.warn(
        { err: error, generation_id: generationId },
        "generation unavailable while a response waits, retrying",
      );
    }
  }
  return generation;
}

/** Whether the caller may not read it any more. That nobody can say is no refusal: the answer would lack the id. */
function isRefused(error: unknown): boolean {
  return error instanceof Problem && error.code !== "unavailable";
}

/** The longest wait, as the document states it. */
const MAX_WAIT_SECONDS = 60;
/** Nothing is read of a longer header. */
const MAX_CHARACTERS = 1_000;

/** RFC 7240: nothing is an error, and of preferences of one name the first counts. A bare `wait` is the longest. */
export function preferencesOf({ headers }: Pick<FastifyRequest, "headers">) {
  const prefer = headers["prefer"]?.toString() ?? "";
  const preferences = prefer.length > MAX_CHARACTERS ? [] : splitUnquoted(prefer, ",");
  const valueOf = new Map(
    preferences
      .map((preference) => nameAndValue(splitUnquoted(preference, ";")[0] ?? ""))
      .toReversed(),
  );
  const wait = valueOf.get("wait") ?? "0";
  const seconds = wait === "" ? MAX_WAIT_SECONDS : /^\d+$/.test(wait) ? Number(wait) : 0;
  return {
    /** Undefined where no wait is asked for, or one that is not a whole number of seconds. */
    waitSeconds: Math.min(seconds, MAX_WAIT_SECONDS) || undefined,
    respondAsync: valueOf.has("respond-async"),
  };
}

/** What stands between separators that are not quoted (RFC 9110, 5.6). A quote that does not end reaches to the end. */
function splitUnquoted(value: string, separator: "," | ";"): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (character === "\\" && isQuoted) at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) {
      parts.push(value.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, value.slice(from)];
}

/** The name in lower case and the value of `name="value"`; the value is empty where there is none. */
function nameAndValue(text: string): [name: string, value: string] {
  const end = text.indexOf("=");
  if (end === -1) return [text.trim().toLowerCase(), ""];
  return [text.slice(0, end).trim().toLowerCase(), unquoted(text.slice(end + 1).trim())];
}

function unquoted(value: string): string {
  if (value.length < 2 || !value.startsWith('"') || !value.endsWith('"')) return value;
  return value.slice(1, -1).replaceAll(/\\(.)/g, "$1");
}
