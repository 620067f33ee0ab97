/** The months that a user can choose, in UTC like the statements. */

const MAX_MONTHS = 24;

const monthFormat = new Intl.DateTimeFormat("en-US", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** The months from this one back to that of `since`, at most two years; `value` is "YYYY-MM". */
export function months(since: string, nowMs: number): { value: string; label: string }[] {
  const first = since.slice(0, 7);
  const now = new Date(nowMs);
  return Array.from({ length: MAX_MONTHS }, (_, back) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
    return { value: month.toISOString().slice(0, 7), label: monthFormat.format(month) };
  }).filter(({ value }) => value >= first);
}
