/** Refuses requests beyond what this process can answer soon. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { LoadLimit } from "#runtime/load-limit.ts";
import { Problem } from "./problem.ts";

/** One for all, because making an error costs more than the rest of a refusal. */
const TOO_MANY = new Problem("unavailable", {
  message: "The service has more requests than it can answer now. Send the request again later.",
});

/**
 * Adds the limit to the routes of `app`, which `whoOf` shares it. Refused requests get 503 with Retry-After. A request is in
 * progress once its body has come, and until its answer begins: its client may send and read slowly.
 */
export function limitLoad(
  app: FastifyInstance,
  { take }: LoadLimit,
  whoOf: (request: FastifyRequest) => string | undefined,
): void {
  app.addHook("preValidation", async (request, reply) => {
    request.turn = await take(whoOf(request));
    if (request.turn && !reply.raw.destroyed) return;
    // The client left while the request waited for its turn.
    request.turn?.end();
    throw TOO_MANY;
  });
  app.addHook("onSend", async ({ turn }) => turn?.end());
}
