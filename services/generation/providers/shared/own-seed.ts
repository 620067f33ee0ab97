/** A seed that tells the job of one submit from all others, for upstreams that repeat seeds when asked. */
import { createHash } from "node:crypto";

const LARGEST = 0x7fffffff;

/** The same for the same token, and hardly ever the same for two. */
export function ownSeed(token: string): number {
  return createHash("sha256").update(token).digest().readUInt32BE(0) & LARGEST;
}
