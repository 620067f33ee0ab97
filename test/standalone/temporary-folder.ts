/** A temporary folder for one test file. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Deleted with its contents when disposed. `mode` 0o700 excludes other users, 0o755 lets them enter. */
export async function temporaryFolder(
  mode: 0o700 | 0o755,
): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), "standalone-"));
  await chmod(path, mode);
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
