/** A folder for one test file, with the parts that were started in it. */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gone with all that is in it when disposed. `mode` 0o700 shuts other users out, 0o755 lets them pass. */
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
