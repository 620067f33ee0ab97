/** How a request was answered, at a glance. */

/** The color of a status. */
export function colorOf(status: number): string {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "teal";
}
