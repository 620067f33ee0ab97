/** Cross-site request check, by headers that browsers set and pages cannot forge. */
import type { IncomingHttpHeaders } from "node:http";

/** Whether the request comes from a page under `publicUrl`. False when it has neither Sec-Fetch-Site nor Origin. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin !== undefined && headers.origin === new URL(publicUrl).origin;
}
