/** Temporary folders, which are deleted with all that they contain. */
import { mkdtempSync, rmSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const PREFIX = join(tmpdir(), "media-test-");

/** Deleted when disposed. `mode` 0o755 lets other users enter. */
export async function temporaryFolder(
  mode: 0o700 | 0o755 = 0o700,
): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(PREFIX);
  await chmod(path, mode);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The path of a folder that is deleted after the tests of the file, or of the `describe`, which calls this. */
export function folderForTests(): string {
  const path = mkdtempSync(PREFIX);
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
