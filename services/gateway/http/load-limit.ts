/** Refuses API requests beyond what this process can answer soon, before anything else is done for them. */
import type { FastifyInstance } from "fastify";
import type { LoadLimits } from "#runtime/load-limit.ts";
import { Problem } from "../problem.ts";

/** Requests at a time, those included that only wait: for their body, or for a generation to end. */
const MAX_PRESENT = 2_000;
/** One for all, because making an error costs more than the rest of a refusal. */
const TOO_MANY = new Problem("unavailable", {
  message: "The service has more requests than it can answer now. Send the request again later.",
});

/**
 * Adds the limit to the routes of `app`, one for each operation. Refused requests get 503 with Retry-After, and are not
 * counted or rate limited. While the body of a request arrives, it is not in hand: its client may be slow.
 */
export function limitLoad(app: FastifyInstance, limits: LoadLimits): void {
  let present = 0;
  app.addHook("onRequest", async (request, reply) => {
    const { take, refuse } = limits(request.routeOptions.config.operationId ?? "unknown");
    if (present >= MAX_PRESENT) {
      refuse();
      throw TOO_MANY;
    }
    present += 1;
    reply.raw.once("close", () => {
      present -= 1;
      request.turn?.end();
    });
    request.turn = await take();
    if (!request.turn) throw TOO_MANY;
    if (!reply.raw.destroyed) return;
    // The client left while the request waited for its turn.
    request.turn.end();
    throw TOO_MANY;
  });
  app.addHook("preParsing", async ({ turn }) => turn?.pause());
  app.addHook("preValidation", async ({ turn }) => turn?.resume());
  // The client may read slowly.
  app.addHook("onSend", async ({ turn }) => turn?.end());
}
