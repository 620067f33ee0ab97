/** Refuses API requests beyond what this process can answer soon: at once, before anything else is done for them. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";

/**
 * Requests that are being worked on. Requests beyond that would only wait here, and make all others wait: on two cores
 * a process answers some hundred creates in a second.
 */
export const MAX_BUSY = 200;
/** Requests that mostly wait for a generation to end, and cost little more than their memory meanwhile. */
const MAX_WAITING = 2_000;

/** Of the operations that answer when a generation has ended, this one has no `Prefer` header. */
const WAITING_OPERATION = "createImageGeneration";

/** Adds the limit to the routes of `app`. Refused requests get 503 with Retry-After, and are not counted or rate limited. */
export function limitLoad(app: FastifyInstance): void {
  const inHand = { busy: 0, waiting: 0 };
  app.addHook("onRequest", async (request, reply) => {
    const kind = isWaiting(request) ? "waiting" : "busy";
    if (inHand[kind] >= (kind === "busy" ? MAX_BUSY : MAX_WAITING)) {
      throw new Problem("unavailable", {
        message:
          "The service has more requests than it can answer now. Send the request again later.",
      });
    }
    inHand[kind] += 1;
    reply.raw.once("close", () => (inHand[kind] -= 1));
  });
}

function isWaiting({ headers, routeOptions }: FastifyRequest): boolean {
  return headers["prefer"] !== undefined || routeOptions.config.operationId === WAITING_OPERATION;
}
