/** Prefer: wait=N: delays a response until the generation has ended or N seconds have passed. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";

/** The event stream may be unavailable, so the generation is also read again at this interval. */
const POLL_INTERVAL_MS = 1_000;

const TERMINAL: ReadonlySet<Status> = new Set([Status.SUCCESS, Status.FAILED, Status.CANCELED]);

type Reads = {
  generationId: string;
  /** Creates the generation, or reads it for the first time; its errors are the response. */
  first: () => Promise<Generation>;
  again: () => Promise<Generation>;
};

/** The generation to respond with; not delayed when the request has no Prefer header. */
export async function waitForCompletion(
  deps: Pick<Deps, "clock" | "completionWaiters" | "log">,
  request: FastifyRequest,
  reply: FastifyReply,
  { generationId, first, again }: Reads,
): Promise<Generation> {
  const waitMs = preferredWaitMs(request);
  if (waitMs === undefined) return first();
  const { clock, completionWaiters, log } = deps;
  const disconnected = new AbortController();
  const { signal } = disconnected;
  reply.raw.once("close", () => disconnected.abort());
  const startedMs = clock.now().getTime();
  const leftMs = () => waitMs - (clock.now().getTime() - startedMs);
  using waiter = completionWaiters.waiterOf(generationId);
  let generation = await first();
  void reply.header("Preference-Applied", "wait");
  const mayWait = () => leftMs() > 0 && !completionWaiters.isStopped && !signal.aborted;
  while (!TERMINAL.has(generation.status) && mayWait()) {
    await waiter.wait(Math.min(leftMs(), POLL_INTERVAL_MS), signal);
    if (signal.aborted) break;
    const lastKnown = generation;
    generation = await again().catch((error: unknown) => {
      log.warn(
        { err: error, generation_id: generationId },
        "generation unavailable while a response waits, retrying",
      );
      return lastKnown;
    });
  }
  return generation;
}

/** The document allows no other form of the header. */
function preferredWaitMs(request: FastifyRequest): number | undefined {
  const { prefer } = request.headers;
  return typeof prefer === "string" ? Number(prefer.slice("wait=".length)) * 1_000 : undefined;
}
