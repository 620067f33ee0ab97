/** Refuses API requests beyond what this process can answer soon, before anything else is done for them. */
import type { FastifyInstance } from "fastify";
import type { LoadLimits } from "#runtime/load-limit.ts";
import { Problem } from "../problem.ts";

/** Requests at a time, those included that only wait: for their body, or for a generation to end. */
const MAX_PRESENT = 2_000;

/**
 * Adds the limit to the routes of `app`, one for each operation. Refused requests get 503 with Retry-After, and are not
 * counted or rate limited. While the body of a request arrives, it is not in hand: its client may be slow.
 */
export function limitLoad(app: FastifyInstance, limits: LoadLimits): void {
  let present = 0;
  app.addHook("onRequest", async (request, reply) => {
    if (present >= MAX_PRESENT) throw tooMany();
    present += 1;
    reply.raw.once("close", () => {
      present -= 1;
      request.turn?.end();
    });
    request.turn = await limits(request.routeOptions.config.operationId ?? "unknown")();
    if (!request.turn) throw tooMany();
    if (!reply.raw.destroyed) return;
    // The client left while the request waited for its turn.
    request.turn.end();
    throw tooMany();
  });
  app.addHook("preParsing", async ({ turn }) => turn?.pause());
  app.addHook("preValidation", async ({ turn }) => turn?.resume());
  // The client may read slowly.
  app.addHook("onSend", async ({ turn }) => turn?.end());
}

function tooMany(): Problem {
  return new Problem("unavailable", {
    message: "The service has more requests than it can answer now. Send the request again later.",
  });
}
