/** The bounds of a calendar month in UTC. */

/** `month` is yyyy-mm; `to` is exclusive, the start of the next month. */
export function monthOf(month: string): { from: Date; to: Date } {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return { from: new Date(Date.UTC(year, number - 1)), to: new Date(Date.UTC(year, number)) };
}
