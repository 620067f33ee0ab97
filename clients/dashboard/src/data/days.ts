/** The first and the last day of a list, in the URL and as the API takes them. */

/** Days in the user's time zone, "YYYY-MM-DD", both inclusive. */
export type Days = { from: string | undefined; to: string | undefined };

/** The days of a page's URL, without what is no day. */
export function daysIn(query: URLSearchParams): Days {
  return { from: dayOf(query.get("from")), to: dayOf(query.get("to")) };
}

/** Times in the API are exclusive. */
export function spanOf({ from, to }: Days): { created_after?: string; created_before?: string } {
  return {
    ...(from && { created_after: timeOf(from, 0, -1) }),
    ...(to && { created_before: timeOf(to, 1, 0) }),
  };
}

/** RFC 3339, from the start of the local day. */
function timeOf(day: string, addedDays: number, addedMs: number): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + addedDays, 0, 0, 0, addedMs).toISOString();
}

function dayOf(text: string | null): string | undefined {
  return text && /^2\d{3}-[01]\d-[0-3]\d$/.test(text) ? text : undefined;
}
