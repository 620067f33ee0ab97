/** Refuses requests beyond what this process can answer soon, before anything else is done for them. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { LoadLimit } from "#runtime/load-limit.ts";
import { Problem } from "./problem.ts";

/** One for all, because making an error costs more than the rest of a refusal. */
export const TOO_MANY = new Problem("unavailable", {
  message: "The service has more requests than it can answer now. Send the request again later.",
});

export type RequestLimit = {
  limitOf: (request: FastifyRequest) => LoadLimit;
  /** Who shares the limit with others; absent where nobody knows yet. */
  whoOf?: (request: FastifyRequest) => string;
};

/**
 * Adds the limit to the routes of `app`. Refused requests get 503 with Retry-After, and are not counted or rate limited.
 * While the body of a request arrives, it is not in progress: its client may be slow.
 */
export function limitLoad(app: FastifyInstance, { limitOf, whoOf }: RequestLimit): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.raw.on("close", () => request.turn?.end());
    await takeTurn(limitOf(request), request, reply, whoOf?.(request));
  });
  app.addHook("preParsing", async ({ turn }) => turn?.pause());
  app.addHook("preValidation", async ({ turn }) => turn?.resume());
  // The client may read slowly.
  app.addHook("onSend", async ({ turn }) => turn?.end());
}

/** Gives the request its turn, in place of one that it has. Throws when it does not come soon. */
export async function takeTurn(
  { take }: LoadLimit,
  request: FastifyRequest,
  reply: FastifyReply,
  who?: string,
): Promise<void> {
  request.turn?.end();
  request.turn = await take(who);
  if (!request.turn) throw TOO_MANY;
  if (!reply.raw.destroyed) return;
  // The client left while the request waited for its turn.
  request.turn.end();
  throw TOO_MANY;
}
