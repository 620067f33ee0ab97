/** A temporary copy of the working tree, so that no edit ever touches the tree itself. */
import { execFileSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export type TreeCopy = AsyncDisposable & {
  path: string;
  /** Replaces the one occurrence of `old` until disposed of; undefined where there is not exactly one. */
  edit: (edit: { file: string; old: string; new: string }) => Promise<AsyncDisposable | undefined>;
};

/** Copies what git tracks, and new files that it does not ignore; `node_modules` is a link. */
export async function copyTree(): Promise<TreeCopy> {
  const path = await mkdtemp(join(tmpdir(), "media-mutation-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(path, { recursive: true, force: true }));
  for (const file of sourceFiles()) await cp(file, join(path, file), { verbatimSymlinks: true });
  await symlink(resolve("node_modules"), join(path, "node_modules"));
  const kept = stack.move();
  return {
    path,
    async edit({ file, old, new: replacement }) {
      const edited = join(path, file);
      if (!existsSync(edited)) return undefined;
      const text = await readFile(edited, "utf8");
      const [before, after, ...others] = text.split(old);
      if (before === undefined || after === undefined || others.length > 0) return undefined;
      await writeFile(edited, before + replacement + after);
      return { [Symbol.asyncDispose]: () => writeFile(edited, text) };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function sourceFiles(): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", args, { encoding: "utf8" }).split("\0");
  // Git also lists files that were deleted and not committed yet.
  return files.filter((file) => file !== "" && existsSync(file));
}
