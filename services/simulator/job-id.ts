/** Job ids: the whole job, signed, so that any replica can answer for it. */
import type { Job } from "./job.ts";
import type { Signer } from "./signing.ts";

/** Raised when `Job` changes, so that an id of an earlier release is refused instead of misread. */
const FORMAT = "j1";

/** The longest id: a caption of quotation marks, which JSON escapes, and the longest failure code. */
export const MAX_JOB_ID_LENGTH = 1_500;

export function jobIdOf(job: Job, signer: Signer): string {
  const content = `${FORMAT}.${Buffer.from(JSON.stringify(job)).toString("base64url")}`;
  return `${content}.${signer.sign("job", content)}`;
}

/** Undefined where no simulator with this secret made the id. */
export function jobOfId(id: string, signer: Signer): Job | undefined {
  const end = id.lastIndexOf(".");
  const content = id.slice(0, Math.max(end, 0));
  if (!content.startsWith(`${FORMAT}.`)) return undefined;
  if (!signer.isSigned("job", content, id.slice(end + 1))) return undefined;
  const json = Buffer.from(content.slice(FORMAT.length + 1), "base64url").toString();
  return JSON.parse(json) as Job;
}
