/** Properties that videos and images have in common. */
import type { Generation } from "../api/client.ts";

type WithStatus = Pick<Generation, "status">;

export const isFinished = ({ status }: WithStatus): boolean =>
  status === "success" || status === "failed" || status === "canceled";

export const isVideo = ({ id }: { id: string }): boolean => id.startsWith("vgen_");

/** URL of the small picture for lists, which never load the files themselves. */
export function thumbnail({ output }: Generation): string | undefined {
  return output[0]?.thumbnail_url;
}
