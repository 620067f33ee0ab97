/** Derives a seed that identifies the job of one submit, for upstreams that return seeds with their jobs. */
import { createHash } from "node:crypto";

const MAX_SEED = 0x7fffffff;

/** Equal tokens give equal seeds; different tokens give different seeds with high probability. */
export function ownSeed(token: string): number {
  return createHash("sha256").update(token).digest().readUInt32BE(0) & MAX_SEED;
}
