/** The choices for when a new key expires: never, after some days, or at the end of a chosen day. */

export const EXPIRIES = [
  { value: "never", label: "Never" },
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a day of your choice" },
];

const DAY_MS = 86_400_000;

/** RFC 3339, or undefined for a key that does not expire. */
export function expiryOf(choice: string, date: string, nowMs: number): string | undefined {
  if (choice === "never") return undefined;
  if (choice === "date") return `${date}T23:59:59.000Z`;
  return new Date(nowMs + Number(choice) * DAY_MS).toISOString();
}
