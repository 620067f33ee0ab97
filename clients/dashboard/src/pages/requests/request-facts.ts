/** What follows from how a request was answered. */
import type { Schemas } from "../../api/client.ts";

type Request = Pick<
  Schemas["RequestLogEntry"]["request"],
  "generation_id" | "path" | "status" | "error_code"
>;

/** A create that waits for its image answers with these when the generation that it made has failed. */
const OF_GENERATIONS = new Set([
  "content_rejected",
  "invalid_input",
  "upstream_failed",
  "upstream_timeout",
  "expired",
  "canceled",
  "generation_timeout",
]);

/** The generation that the request made or asked for; undefined where a refused request made none, or there is none any more. */
export function generationOf({
  generation_id: id,
  path,
  status,
  error_code: code = "",
}: Request): string | undefined {
  if (status < 400 || OF_GENERATIONS.has(code)) return id;
  const isOfExisting = path.includes("{id}") && status !== 404 && status !== 410;
  return isOfExisting ? id : undefined;
}

/** The color of a status. */
export function colorOf(status: number): string {
  if (status >= 500) return "red";
  return status >= 400 ? "amber" : "teal";
}
