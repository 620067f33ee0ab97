/** Prefer: wait=N: holds an answer about a generation until it has ended or N seconds have passed. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";

/** The event stream may be down: the generation is looked at again without it. */
const LOOK_AGAIN_MS = 1_000;

const ENDED: ReadonlySet<Status> = new Set([Status.SUCCESS, Status.FAILED, Status.CANCELED]);

type Held = {
  generationId: string;
  /** The first look at the generation, or its creation; refusals are thrown. */
  first: () => Promise<Generation>;
  again: () => Promise<Generation>;
};

/** The generation to answer with; at once where the request does not prefer to wait. */
export async function held(
  deps: Pick<Deps, "clock" | "completions" | "log">,
  request: FastifyRequest,
  reply: FastifyReply,
  { generationId, first, again }: Held,
): Promise<Generation> {
  const waitMs = preferredWaitMs(request);
  if (waitMs === undefined) return first();
  const { clock, completions, log } = deps;
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const startedMs = clock.now().getTime();
  const leftMs = () => waitMs - (clock.now().getTime() - startedMs);
  using waiter = completions.waiterOf(generationId);
  let generation = await first();
  void reply.header("Preference-Applied", "wait");
  const isOver = () => leftMs() <= 0 || completions.isStopped || gone.signal.aborted;
  while (!ENDED.has(generation.status) && !isOver()) {
    await waiter.wait(Math.min(leftMs(), LOOK_AGAIN_MS), gone.signal);
    if (gone.signal.aborted) break;
    const lastKnown = generation;
    generation = await again().catch((error: unknown) => {
      log.warn({ err: error, generation_id: generationId }, "a held answer was not renewed");
      return lastKnown;
    });
  }
  return generation;
}

/** The document lets no other form of the header pass. */
function preferredWaitMs(request: FastifyRequest): number | undefined {
  const { prefer } = request.headers;
  return typeof prefer === "string" ? Number(prefer.slice("wait=".length)) * 1_000 : undefined;
}
