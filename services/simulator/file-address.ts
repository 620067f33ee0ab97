/** Signed addresses of finished files, which expire. */
import type { Signer } from "./signing.ts";

/** The path and query of a job's file, valid until `expiresAt`. */
export function filePathOf(jobId: string, expiresAt: Date, signer: Signer): string {
  const expires = String(expiresAt.getTime());
  const signature = signer.sign(`${jobId}\n${expires}`);
  return `/files/${jobId}?expires=${expires}&signature=${signature}`;
}

export function isValidFileAddress(
  address: { jobId: string; expires: string; signature: string },
  now: Date,
  signer: Signer,
): boolean {
  const { jobId, expires, signature } = address;
  const isSigned = signer.isSigned(`${jobId}\n${expires}`, signature);
  return isSigned && now.getTime() < Number(expires);
}
