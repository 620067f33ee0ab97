/** Times in requests, as RFC 3339 writes them. */

/** Times are clamped to these bounds: nothing here lies outside, and Postgres does not accept every year. */
const [EARLIEST_MS, LATEST_MS] = [0, Date.UTC(9999, 11, 31, 23, 59, 59, 999)];

/** A leap second, which JavaScript's dates do not support, becomes the second before it. `laterMs` is added. */
export function dateOf(time: string, laterMs = 0): Date {
  const ms = Date.parse(time.replace(/:60(?=\D|$)/, ":59")) + laterMs;
  return new Date(Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS));
}
