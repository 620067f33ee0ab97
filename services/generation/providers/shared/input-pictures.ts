/** Fetches the bytes of a job's pictures, for upstreams that take no URLs. */
import type { AdapterSettings } from "./adapter.ts";
import type { Job, Submitted } from "../provider.ts";

export type Picture = { content: Uint8Array; contentType: string };

/** All pictures, or why the job cannot be submitted. Nothing is sent to the upstream before they are fetched. */
export type Pictures =
  | { kind: "fetched"; pictures: Picture[] }
  | Extract<Submitted, { kind: "rejected" | "refused" }>;

export async function inputPictures(
  job: Job,
  fetchInput: AdapterSettings["fetchInput"],
  signal: AbortSignal,
): Promise<Pictures> {
  const pictures: Picture[] = [];
  for (const url of job.imageUrls) {
    const fetched = await fetchInput(url, signal).catch(() => undefined);
    if (fetched === undefined) return { kind: "rejected", fault: "unavailable" };
    if ("failure" in fetched) return { kind: "refused", failure: fetched.failure };
    pictures.push(fetched);
  }
  return { kind: "fetched", pictures };
}
