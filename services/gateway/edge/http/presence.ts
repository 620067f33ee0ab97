/** Limits the requests that are present in this process, in all and of each client, whatever they wait for. */
import type { FastifyInstance } from "fastify";
import type { LoadLimits } from "#runtime/load-limit.ts";
import { createShares } from "#runtime/shares.ts";
import { clientNetwork } from "./client-network.ts";
import { TOO_MANY } from "./load-limit.ts";
import { isProbe } from "./request-log.ts";

/**
 * Requests at a time, those included that only wait: for their body, for a generation to end, or for a client that
 * reads slowly. A client that comes alone gets half of them (`#runtime/shares.ts`). The load balancer of compose.yaml sends as many to a gateway.
 */
const MAX_PRESENT = 2_000;

/** A request that is present. */
export type Presence = {
  /** Counts it as `who`'s from now on. Throws when those have their share. */
  belongTo: (who: string) => void;
};

/**
 * Adds the limit to all routes of `app`, but probes. A request counts as its client address's until it is known whose it
 * is. Refused requests get 503 with Retry-After, and are not counted or rate limited.
 */
export function limitPresence(app: FastifyInstance, limits: LoadLimits): void {
  const shares = createShares();
  let present = 0;
  app.addHook("onRequest", async (request, reply) => {
    if (isProbe(request)) return;
    const refuse = () => {
      limits(request.routeOptions.config.operationId ?? "unknown").refuse();
      return TOO_MANY;
    };
    let owner = clientNetwork(request.ip);
    if (!shares.take(owner, MAX_PRESENT - present)) throw refuse();
    present += 1;
    reply.raw.on("close", () => {
      present -= 1;
      shares.release(owner);
    });
    request.presence = {
      belongTo: (who) => {
        // Its own place is free for it.
        if (!shares.take(who, MAX_PRESENT - present + 1)) throw refuse();
        shares.release(owner);
        owner = who;
      },
    };
  });
}
