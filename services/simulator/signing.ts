/** Signatures of file addresses, under the secret that all replicas share. */
import { createHmac, timingSafeEqual } from "node:crypto";

export type Signer = {
  sign(text: string): string;
  isSigned(text: string, signature: string): boolean;
};

const SIGNATURE_BYTES = 16;

export function createSigner(secret: string): Signer {
  const sign = (text: string): string =>
    createHmac("sha256", secret)
      .update(`file\n${text}`)
      .digest()
      .subarray(0, SIGNATURE_BYTES)
      .toString("base64url");
  return {
    sign,
    isSigned: (text, signature) => {
      // Compared as text: different base64url texts can decode to the same bytes.
      const expected = Buffer.from(sign(text));
      const given = Buffer.from(signature);
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}

/** The path and query of a job's file, valid until `expiresAt`. */
export function filePathOf(jobId: string, expiresAt: Date, signer: Signer): string {
  const expires = String(expiresAt.getTime());
  const signature = signer.sign(`${jobId}\n${expires}`);
  return `/files/${jobId}?expires=${expires}&signature=${signature}`;
}

/** True for a path and query of `filePathOf` until they expire. */
export function isValidFileAddress(
  address: { jobId: string; expires: string; signature: string },
  now: Date,
  signer: Signer,
): boolean {
  const { jobId, expires, signature } = address;
  const isSigned = signer.isSigned(`${jobId}\n${expires}`, signature);
  return isSigned && now.getTime() < Number(expires);
}
