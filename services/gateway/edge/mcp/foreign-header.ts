/** Tells requests that a page of another site sends, or that came by a name which another site made lead here. */
import type { FastifyRequest } from "fastify";

/** How a client on the same machine names it. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The header that shows it. A key is needed in any case. */
export function foreignHeader(
  { headers, host }: Pick<FastifyRequest, "headers" | "host">,
  publicUrl: string,
): "Origin" | "Host" | undefined {
  const own = new URL(publicUrl);
  const { origin } = headers;
  if (origin !== undefined && origin !== own.origin) return "Origin";
  const name = host.replace(/:\d+$/, "").toLowerCase();
  return name === own.hostname || LOOPBACK.includes(name) ? undefined : "Host";
}
