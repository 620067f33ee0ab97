/** Reads a Retry-After header (RFC 9110). */

/** The standard has whole seconds only; some upstreams send fractions. */
const SECONDS = /^\d+(\.\d+)?$/;
/** Each of the three forms of a date begins with the name of a day; one of them names no zone. */
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .* \d{2}:\d{2}:\d{2}( GMT| \d{4})$/;

/** The wait that the header asks for, as seconds or as a date; undefined if it is neither. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? "";
  if (SECONDS.test(text)) return Math.ceil(Number(text) * 1000);
  if (!HTTP_DATE.test(text)) return undefined;
  const at = Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
