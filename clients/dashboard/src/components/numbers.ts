/** Numbers, sizes and times as people read them. */

const whole = new Intl.NumberFormat("en-US");
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const date = new Intl.DateTimeFormat("en-US", { dateStyle: "medium" });
const moment = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en-US", { numeric: "auto", style: "short" });

export const tokens = (amount: number): string => whole.format(amount);

/** With its sign, for changes of a balance. */
export const signed = (amount: number): string =>
  `${amount > 0 ? "+" : amount < 0 ? "−" : ""}${whole.format(Math.abs(amount))}`;

export const short = (amount: number): string => compact.format(amount);

export const day = (time: string): string => date.format(new Date(time));

export const exact = (time: string): string => moment.format(new Date(time));

const STEPS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", 30],
] as const;

/** "5 min. ago"; a date once a month has passed. */
export function ago(time: string, nowMs: number): string {
  let amount = (new Date(time).getTime() - nowMs) / 1_000;
  for (const [unit, size] of STEPS) {
    if (Math.abs(amount) < size) return relative.format(Math.round(amount), unit);
    amount /= size;
  }
  return day(time);
}

/** Megabytes and kilobytes by a thousand. */
export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
