/** The route of a request: the one that the router found, unless the path only looks like one of it. */
import type { FastifyRequest } from "fastify";

/**
 * As the route is written; undefined where there is none. The router takes what is between two slashes, or after the last, for
 * a parameter, be it empty.
 */
export function matchedRoute({ routeOptions, params }: FastifyRequest): string | undefined {
  const isEmpty = Object.values(params as Record<string, string>).includes("");
  return isEmpty ? undefined : routeOptions.url;
}
