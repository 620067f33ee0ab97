/** Signatures of job ids and file addresses, under the secret that all replicas share. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Keeps a signature made for one purpose from being valid for another. */
type Purpose = "job" | "file";

export type Signer = {
  sign(purpose: Purpose, text: string): string;
  isSigned(purpose: Purpose, text: string, signature: string): boolean;
};

const SIGNATURE_BYTES = 16;

export function createSigner(secret: string): Signer {
  const sign = (purpose: Purpose, text: string): string =>
    createHmac("sha256", secret)
      .update(`${purpose}\n${text}`)
      .digest()
      .subarray(0, SIGNATURE_BYTES)
      .toString("base64url");
  return {
    sign,
    isSigned: (purpose, text, signature) => {
      // Compared as text: different base64url texts can decode to the same bytes.
      const expected = Buffer.from(sign(purpose, text));
      const given = Buffer.from(signature);
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}
