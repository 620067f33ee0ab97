/** Properties that videos and images have in common. */
import type { Generation } from "../api/client.ts";

type WithStatus = Pick<Generation, "status">;

export const isFinished = ({ status }: WithStatus): boolean =>
  status === "success" || status === "failed" || status === "canceled";

export const isVideo = ({ id }: { id: string }): boolean => id.startsWith("vgen_");

/** URL of the picture for lists: a video's thumbnail, or the image itself. */
export function thumbnail({ output }: Generation): string | undefined {
  const [first] = output;
  if (first === undefined) return undefined;
  if ("thumbnail_url" in first) return first.thumbnail_url;
  return first.content_type.startsWith("image/") ? first.url : undefined;
}
