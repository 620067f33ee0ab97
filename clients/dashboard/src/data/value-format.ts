/** Formats numbers, sizes and times as the reader's browser does, in the reader's time zone. */

const whole = new Intl.NumberFormat();
const signed = new Intl.NumberFormat(undefined, { signDisplay: "exceptZero" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

export const tokens = (amount: number): string => whole.format(amount);

/** A change of a balance with its sign, such as "+210". */
export const changeText = (change: number): string => signed.format(change);

/** "1 file", "2 files". */
export const counted = (count: number, noun: string): string =>
  `${whole.format(count)} ${noun}${count === 1 ? "" : "s"}`;

export const day = (time: string | number): string => date.format(new Date(time));

/** A line does not end before AM or PM. */
export const dateTime = (time: string | number): string =>
  moment.format(new Date(time)).replace(/ (?=[AP]M)/, "\u00a0");

/** Each unit with how many of it make the next one. */
const STEPS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
] as const;

/** The time as a person says it, for example "5 min. ago"; a date after 30 days. */
export function timeAgo(time: string, nowMs: number): string {
  let amount = (new Date(time).getTime() - nowMs) / 1_000;
  for (const [unit, length] of STEPS) {
    // Rounded first, or the last half second of a minute would be "60 sec. ago".
    if (Math.abs(Math.round(amount)) < length) return relative.format(Math.round(amount), unit);
    amount /= length;
  }
  return day(time);
}

/** The size in decimal units: 1 kB is 1,000 bytes. */
export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const MAX_MONTHS = 24;
const month = new Intl.DateTimeFormat(undefined, {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

/** The months in UTC from this one back to that of `since`, at most two years; `value` is "YYYY-MM". */
export function months(since: string, nowMs: number): { value: string; label: string }[] {
  const now = new Date(nowMs);
  return Array.from({ length: MAX_MONTHS }, (_, back) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1));
    return { value: first.toISOString().slice(0, 7), label: month.format(first) };
  }).filter(({ value }) => value >= since.slice(0, 7));
}
