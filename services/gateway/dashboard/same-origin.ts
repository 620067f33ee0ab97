/** Whether a request comes from the dashboard's own pages, by what browsers say and pages cannot forge. */
import type { IncomingHttpHeaders } from "node:http";

/** `publicUrl` is where browsers find the dashboard. A request that says nothing of where it comes from does not. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin !== undefined && headers.origin === new URL(publicUrl).origin;
}
