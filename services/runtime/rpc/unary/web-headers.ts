import type { IncomingHttpHeaders } from "node:http";

/** The headers that came over HTTP/1.1 or HTTP/2, without the pseudo-headers of the latter. */
export function webHeaders(received: IncomingHttpHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(received)) {
    if (!name.startsWith(":")) result.set(name, String(value));
  }
  return result;
}
