/** The months that can be chosen, in UTC as statements are. */

const SHOWN = 24;

const named = new Intl.DateTimeFormat("en-US", { month: "long", year: "numeric", timeZone: "UTC" });

/** From this month back to that of `since`, two years at most; `value` is "YYYY-MM". */
export function months(since: string, nowMs: number): { value: string; label: string }[] {
  const first = since.slice(0, 7);
  const now = new Date(nowMs);
  return Array.from({ length: SHOWN }, (_, back) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
    return { value: month.toISOString().slice(0, 7), label: named.format(month) };
  }).filter(({ value }) => value >= first);
}
