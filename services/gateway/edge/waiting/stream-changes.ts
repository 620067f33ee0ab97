/** Accept: text/event-stream on a retrieve: the generation at each change, until it has ended. */
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import { publicGeneration } from "#vocabulary/public-generation.ts";
import { serializerOf, type Call } from "../http/request-state.ts";
import { type Reads, statesOf, type WaitDeps } from "./prefer-wait.ts";

/** A comment is sent where nothing has changed for this time. */
const PING_MS = 15_000;
const RECONNECT_MS = 3_000;

/** Whether the request prefers events. HEAD is answered as without. */
export function wantsEventStream(request: FastifyRequest): boolean {
  const types = ["application/json", "text/event-stream"];
  return request.method === "GET" && request.accepts().type(types) === "text/event-stream";
}

/**
 * Answers with a stream, which ends after the terminal state, and before it when the service stops, the key ends or the
 * generation is deleted. Where too many requests of the account wait already, it ends after the current state. Errors of
 * the first read are the response.
 */
export async function streamChanges(
  call: Call<WaitDeps & { assetBaseUrl: () => string }>,
  reads: Reads,
): Promise<FastifyReply> {
  const { deps, reply } = call;
  const states = statesOf(call, { ...reads, everyMs: PING_MS });
  // A stream that nobody has begun to read does not end what it is made of.
  reply.raw.once("close", () => void states.return());
  const first = await states.next();
  const serialize = serializerOf(reply);

  async function* events(): AsyncGenerator<string> {
    // The first event says how long to wait before connecting again.
    let before = `retry: ${RECONNECT_MS}\n`;
    let sent = "";
    // The stream ends where the generation may not be read any more.
    for (let state = first; !state.done; state = await states.next().catch(() => END)) {
      const text = serialize(publicGeneration(state.value, deps.assetBaseUrl()));
      yield text === sent ? ": waiting\n\n" : `${before}event: generation\ndata: ${text}\n\n`;
      [sent, before] = [text, ""];
    }
  }

  void reply.type("text/event-stream").header("x-accel-buffering", "no");
  return reply.send(Readable.from(events()));
}

const END = { done: true, value: undefined } as const;
