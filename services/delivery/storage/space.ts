/** How much the file system of stored files holds. */
import { statfs } from "node:fs/promises";
import type { StorageConfig } from "./config.ts";

/** Bytes. */
export type Space = { free: number; size: number };

/** Undefined for a bucket, which has no end. Rejects where the folder is not there. */
export async function readSpace(storage: StorageConfig): Promise<Space | undefined> {
  if (storage.kind !== "filesystem") return undefined;
  const { bavail, blocks, bsize } = await statfs(storage.directory);
  return { free: bavail * bsize, size: blocks * bsize };
}
