/** A file system of a few megabytes, which a test can fill: a tmpfs in a mount namespace of its own. */
import { execFileSync } from "node:child_process";
import { startProgram } from "./process.ts";

const UNSHARE = ["--user", "--map-root-user", "--mount"];

/** Whether this machine lets a test mount one. */
export function hasSmallDisks(): boolean {
  try {
    execFileSync("unshare", [...UNSHARE, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** `directory` is its root, which every process of this user can read and write. */
export async function mountSmallDisk(
  megabytes: number,
): Promise<AsyncDisposable & { directory: string }> {
  const script = 'mount -t tmpfs -o "size=$0m" tmpfs /mnt && echo mounted && exec sleep infinity';
  const holder = startProgram("unshare", [...UNSHARE, "sh", "-c", script, String(megabytes)], {});
  await holder.says("mounted");
  return {
    directory: `/proc/${holder.pid}/root/mnt`,
    [Symbol.asyncDispose]: () => holder[Symbol.asyncDispose](),
  };
}
