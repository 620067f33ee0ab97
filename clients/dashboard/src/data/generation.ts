/** Properties that videos and images have in common. */
import type { Generation } from "../api/client.ts";

type WithStatus = Pick<Generation, "status">;

export const isFinished = ({ status }: WithStatus): boolean =>
  status === "success" || status === "failed" || status === "canceled";

export const isVideo = ({ id }: { id: string }): boolean => id.startsWith("vgen_");

/** URLs of the picture for lists: the small one, and where an image's cannot be loaded, the image itself. */
export function pictures({ output: [file] }: Generation): string[] {
  if (file?.thumbnail_url === undefined) return [];
  return "duration" in file ? [file.thumbnail_url] : [file.thumbnail_url, file.url];
}
