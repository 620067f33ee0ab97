/** How long a key that is rotated may go on, and by which key it was replaced, while its time of grace runs. */
import type { ApiKey } from "../api/client.ts";

export const HOUR_MS = 3_600_000;

export const GRACE_HOURS = [
  { value: "0", label: "No longer: revoke it now" },
  { value: "1", label: "For 1 hour" },
  { value: "24", label: "For 24 hours" },
  { value: "168", label: "For 7 days" },
];

type Ended = Pick<ApiKey, "name" | "expires_at">;
type Begun = Pick<ApiKey, "name" | "created_at">;

/** The old key ends a whole time of grace after the new one, which has its name, began. One that expires sooner is not found. */
export function isReplacedBy({ name, expires_at: end }: Ended, next: Begun): boolean {
  if (end === undefined || name !== next.name) return false;
  const overlapMs = Date.parse(end) - Date.parse(next.created_at);
  return GRACE_HOURS.some(
    ({ value }) => value !== "0" && Math.abs(Number(value) * HOUR_MS - overlapMs) < 10_000,
  );
}
