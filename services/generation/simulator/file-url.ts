/** Signed addresses of finished files, which end after a while. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";

export type FileUrls = {
  /** A fresh path with its query, good until `expiresAt`. */
  sign(jobId: string, expiresAt: Date): string;
  isGood(jobId: string, expires: string, signature: string, now: Date): boolean;
};

export function fileUrls(secret: Buffer): FileUrls {
  const signatureOf = (jobId: string, expires: string): string =>
    createHmac("sha256", secret).update(`${jobId}\n${expires}`).digest("base64url");
  return {
    sign: (jobId, expiresAt) => {
      const expires = String(expiresAt.getTime());
      return `/files/${jobId}?expires=${expires}&signature=${signatureOf(jobId, expires)}`;
    },
    isGood: (jobId, expires, signature, now) => {
      const right = Buffer.from(signatureOf(jobId, expires));
      const given = Buffer.from(signature);
      if (right.length !== given.length || !timingSafeEqual(right, given)) return false;
      return now.getTime() < Number(expires);
    },
  };
}

/** The signing secret at `path`, made there when there is none: addresses outlive a restart. */
export async function loadSecret(path: string): Promise<Buffer> {
  const kept = await readFile(path).catch(() => undefined);
  if (kept?.length === 32) return kept;
  const secret = randomBytes(32);
  await writeFile(`${path}.tmp`, secret, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
  return secret;
}
