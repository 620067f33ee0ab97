/** Prefer: wait=N: delays a response until the generation has ended or N seconds have passed. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { generationStatusName, isTerminal } from "#vocabulary/generation-status.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { callerOf } from "../http/request-state.ts";
import type { WaitingRequests } from "./waiting-requests.ts";
import { nameAndValue, splitUnquoted } from "../http/header-value.ts";

/** A read that failed is repeated after this time. */
const RETRY_MS = 1_000;

type Reads = {
  generationId: string;
  /** Creates the generation, or reads it for the first time; its errors are the response. */
  first: () => Promise<Generation>;
  again: () => Promise<Generation>;
};

/**
 * The generation to respond with; not delayed when the request has no Prefer header, or when too many requests of the
 * account wait already.
 */
export async function waitForCompletion(
  deps: { clock: Clock; waitingRequests: WaitingRequests; log: Log },
  request: FastifyRequest,
  reply: FastifyReply,
  { generationId, first, again }: Reads,
): Promise<Generation> {
  const waitSeconds = preferredWaitSeconds(request.headers["prefer"]?.toString());
  if (waitSeconds === undefined) return first();
  const waitMs = waitSeconds * 1_000;
  const { clock, waitingRequests, log } = deps;
  const { accountId } = callerOf(request);
  using waiter = waitingRequests.begin({ accountId, generationId });
  if (!waiter) return await first();
  const disconnected = new AbortController();
  const { signal } = disconnected;
  reply.raw.once("close", () => disconnected.abort());
  const startedMs = clock.now().getTime();
  const leftMs = () => waitMs - (clock.now().getTime() - startedMs);
  let generation = await first();
  request.turn?.pause();
  void reply.header("Preference-Applied", `wait=${waitSeconds}`);
  const mayWait = () => leftMs() > 0 && !waitingRequests.isStopped && !signal.aborted;
  let longestMs = waitMs;
  while (!isTerminal(generationStatusName(generation.status)) && mayWait()) {
    await waiter.wait(Math.min(leftMs(), longestMs), signal);
    if (signal.aborted) break;
    try {
      generation = await again();
      longestMs = waitMs;
    } catch (error) {
      if (reasonOf(error) === ErrorReason.GENERATION_DELETED) throw error;
      longestMs = RETRY_MS;
      log.warn(
        { err: error, generation_id: generationId },
        "generation unavailable while a response waits, retrying",
      );
    }
  }
  return generation;
}

/** The longest wait, as the document states it. */
const MAX_WAIT_SECONDS = 60;
/** Nothing is read of a longer header. */
const MAX_CHARACTERS = 1_000;

/**
 * The seconds of the first `wait` in a Prefer header (RFC 7240), where nothing is an error; undefined where none is asked
 * for, or not as a whole number.
 */
export function preferredWaitSeconds(prefer = ""): number | undefined {
  if (prefer.length > MAX_CHARACTERS) return undefined;
  for (const preference of splitUnquoted(prefer, ",")) {
    const [name, value] = nameAndValue(splitUnquoted(preference, ";")[0] ?? "");
    if (name !== "wait") continue;
    const seconds = /^\d+$/.test(value) ? Number(value) : 0;
    return Math.min(seconds, MAX_WAIT_SECONDS) || undefined;
  }
  return undefined;
}
