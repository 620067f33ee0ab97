/** Job ids: the whole job, encrypted, so that any replica can answer for it and nobody else can read it. */
import type { Job } from "./job.ts";
import type { Sealer } from "./sealing.ts";

/** The longest id: a caption of quotation marks, which JSON escapes, and the longest failure code. */
export const MAX_JOB_ID_LENGTH = 1_500;

export function jobIdOf(job: Job, sealer: Sealer): string {
  return sealer.seal(JSON.stringify(job));
}

/** Undefined where no simulator with this secret made the id. */
export function jobOfId(id: string, sealer: Sealer): Job | undefined {
  const json = sealer.unseal(id);
  return json === undefined ? undefined : (JSON.parse(json) as Job);
}
