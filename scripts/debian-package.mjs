/** Unpacks Debian packages into the cache folder. Needs no root: nothing is installed. apt checks their signatures. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isMain } from "./is-main.mjs";

const CACHE = resolve(dirname(fileURLToPath(import.meta.url)), "../.cache");
const TIMEOUT_MS = 120_000;

/** The path of `path` of the system where it is installed, else of what was unpacked as `name`; undefined without both. */
export function locateProgram(name, path) {
  return [join("/", path), join(unpackedFolder(name), path)].find((file) => existsSync(file));
}

/**
 * The same, with the value of LD_LIBRARY_PATH with which it finds the libraries that were unpacked with it.
 * @returns {{ program: string, libraries: string } | undefined}
 */
export function locateWithLibraries(name, path) {
  const program = locateProgram(name, path);
  if (!program) return undefined;
  const unpacked = unpackedFolder(name);
  if (!program.startsWith(unpacked)) return { program, libraries: "" };
  const folders = [join(unpacked, "usr/lib"), join(unpacked, "lib")].filter(existsSync);
  const nested = folders.flatMap((folder) => readdirSync(folder).map((one) => join(folder, one)));
  return { program, libraries: [...folders, ...nested].join(":") };
}

function unpackedFolder(name) {
  return join(CACHE, name);
}

/**
 * In a script that is run by itself, unpacks what `locate` does not find. A failure is no error: the tests that need it say
 * so, or are skipped.
 * @param {{ script: string, title: string, name: string, locate: () => unknown, packages: string[][], paths?: string[] }} what
 *   `script` is the script's `import.meta.url`; the others are as below
 */
export function unpackWhenRun({ script, title, name, locate, packages, paths = [] }) {
  if (!isMain(script) || locate()) return;
  try {
    unpackPackages(name, packages, paths);
  } catch (error) {
    process.stderr.write(`${title} could not be fetched: ${error.message}\n`);
  }
}

/**
 * Unpacks `packages`, for each of which its names in the versions of Debian are given. Of their files only those of
 * `paths`, if there are any.
 */
function unpackPackages(name, packages, paths) {
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, "fetch-"));
  const run = (file, ...args) =>
    execFileSync(file, args, { cwd: work, stdio: "pipe", timeout: TIMEOUT_MS });
  try {
    for (const names of packages) {
      const found = names.find((one) => isDownloaded(() => run("apt-get", "download", one)));
      if (!found) throw new Error(`no package ${names.join(" or ")}`);
    }
    const archives = readdirSync(work);
    mkdirSync(join(work, "unpacked"));
    const members = paths.map((path) => `./${path}`);
    for (const archive of archives) {
      const unpack = 'dpkg-deb --fsys-tarfile "$0" | tar -x -C unpacked "$@"';
      run("bash", "-o", "pipefail", "-c", unpack, archive, ...members);
    }
    renameSync(join(work, "unpacked"), unpackedFolder(name));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function isDownloaded(download) {
  try {
    download();
    return true;
  } catch {
    return false;
  }
}
