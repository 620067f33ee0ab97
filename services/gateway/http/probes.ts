/** Health probes: they are asked all the time, and say the same, so that they are no traces and hardly logged. */
import type { FastifyRequest } from "fastify";

const PROBES: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz"]);

export function isProbe({ routeOptions }: FastifyRequest): boolean {
  return PROBES.has(routeOptions.url);
}
