/** What can be said of a generation whatever its kind. */
import type { Generation } from "../api/client.ts";

type State = Pick<Generation, "status">;

export const isFinished = ({ status }: State): boolean =>
  status === "success" || status === "failed" || status === "canceled";

export const isVideo = ({ id }: { id: string }): boolean => id.startsWith("vgen_");

/** A picture small enough for a list: a video's still, or the image itself. */
export function thumbnail({ output }: Generation): string | undefined {
  const [first] = output;
  if (first === undefined) return undefined;
  if ("thumbnail_url" in first) return first.thumbnail_url;
  return first.content_type.startsWith("image/") ? first.url : undefined;
}
