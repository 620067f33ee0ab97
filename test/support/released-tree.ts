/** Copies of the code: of the last release, from the commit that CHANGELOG.md names, and of the working tree. */
import { execFileSync } from "node:child_process";
import { cp, readFile, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** A heading of a version, and the sentence below it. */
const RELEASE = /^## \d+\.\d+\.\d+ .*\n\nIts commit is `([0-9a-f]{7,40})`/m;

/**
 * Takes it out of git. It runs on the packages and the built dashboard of the working tree: a package that it alone
 * still needs is a development dependency until the next release (`@fastify/http-proxy`, cockatiel). Undefined before
 * the first release, and in a clone that lacks its commit.
 */
export async function releasedTree() {
  const [, commit] = RELEASE.exec(await readFile("CHANGELOG.md", "utf8")) ?? [];
  if (commit === undefined || !isHere(commit)) return undefined;
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await temporaryFolder());
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: 1024 ** 3 });
  execFileSync("tar", ["-x", "-C", path], { input: archive });
  for (const shared of ["node_modules", ".cache"])
    await symlink(resolve(shared), join(path, shared));
  await cp("clients/dashboard/dist", join(path, "clients/dashboard/dist"), { recursive: true });
  const made = stack.move();
  return { path, [Symbol.asyncDispose]: () => made.disposeAsync() };
}

/** What git tracks, and new files that it does not ignore. */
export async function workingTree(): Promise<AsyncDisposable & { path: string }> {
  const folder = await temporaryFolder();
  const files = "git ls-files -z --cached --others --exclude-standard";
  const copy = `${files} | tar -c --null --ignore-failed-read -T - | tar -x -C "$0"`;
  execFileSync("sh", ["-c", copy, folder.path], { stdio: "ignore" });
  await symlink(resolve("node_modules"), join(folder.path, "node_modules"));
  return folder;
}

function isHere(commit: string): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
