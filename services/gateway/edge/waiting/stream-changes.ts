/** Accept: text/event-stream on a retrieve: the generation at each change, until it has ended. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Generation } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Log } from "#runtime/log.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { generationStatusName, isTerminal } from "#vocabulary/names.ts";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { callerOf, serializerOf } from "../http/request-state.ts";
import type { WaitingRequests } from "./waiting-requests.ts";

/** A comment is sent where nothing has changed for this time. */
const PING_MS = 15_000;
const RECONNECT_MS = 3_000;

export type StreamDeps = {
  waitingRequests: WaitingRequests;
  log: Log;
  assetBaseUrl: () => string;
};

/** Whether the request prefers events. HEAD is answered as without. */
export function wantsEventStream(request: FastifyRequest): boolean {
  const types = ["application/json", "text/event-stream"];
  return request.method === "GET" && request.accepts().type(types) === "text/event-stream";
}

/**
 * Answers with a stream, which ends after the terminal state, and before it when the service stops, the key ends or the
 * generation is deleted. Where too many requests of the account wait already, it ends after the current state. Errors of
 * the first `read` are the response.
 */
export async function streamChanges(
  deps: StreamDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { generationId, read }: { generationId: string; read: () => Promise<Generation> },
): Promise<FastifyReply> {
  const { waitingRequests, log } = deps;
  const { accountId } = callerOf(request);
  const waiter = waitingRequests.begin({ accountId, generationId, forChanges: true });
  const closed = new AbortController();
  closed.signal.addEventListener("abort", () => waiter?.[Symbol.dispose]());
  const first = await read().catch((error: unknown) => {
    closed.abort();
    throw error;
  });
  const serialize = serializerOf(reply);
  const textOf = (generation: Generation) =>
    serialize(publicGeneration(generation, deps.assetBaseUrl()));

  /** The generation after a change, or before it where it cannot be read now; undefined when the stream has to end. */
  const readAgain = (before: Generation) =>
    read().catch((error: unknown) => {
      if (reasonOf(error) === ErrorReason.GENERATION_DELETED) return undefined;
      log.warn({ err: error, generation_id: generationId }, "generation unavailable for a stream");
      return before;
    });

  const isAdmitted = async () => {
    const refusal = await request.admitAgain?.().catch((error: unknown) => error);
    return refusal === undefined;
  };

  async function* events(): AsyncGenerator<string> {
    let generation: Generation | undefined = first;
    let sent = "";
    // The first event says how long to wait before connecting again.
    let before = `retry: ${RECONNECT_MS}\n`;
    while (generation) {
      const text = textOf(generation);
      if (text !== sent) yield `${before}event: generation\ndata: ${text}\n\n`;
      sent = text;
      before = "";
      if (!waiter || isTerminal(generationStatusName(generation.status))) return;
      while (!(await waiter.wait(PING_MS, closed.signal))) {
        if (closed.signal.aborted || waitingRequests.isStopped || !(await isAdmitted())) return;
        yield ": waiting\n\n";
      }
      if (waitingRequests.isStopped || !(await isAdmitted())) return;
      generation = await readAgain(generation);
    }
  }

  // The stream itself closes only after the wait that this ends.
  reply.raw.once("close", () => closed.abort());
  void reply.type("text/event-stream").header("x-accel-buffering", "no");
  return reply.send(Readable.from(events()));
}
