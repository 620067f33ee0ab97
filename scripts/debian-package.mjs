/**
 * `node scripts/debian-package.mjs NAME`: unpacks one of Debian's TOOLS for the tests into the cache folder, if it is not
 * there. Needs no root: nothing is installed. apt checks the signatures.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isMain } from "./is-main.mjs";

const CACHE = resolve(dirname(fileURLToPath(import.meta.url)), "../.cache");
const TIMEOUT_MS = 120_000;

/**
 * In `packages` those of its libraries that a Debian system may lack, too, each by its names in the versions of Debian. Of
 * their files only those of `paths`, if there are any.
 * @type {Record<string, { title: string, locate: () => unknown, packages: string[][], paths?: string[] }>}
 */
const TOOLS = {
  haproxy: {
    title: "HAProxy",
    locate: locateHaproxy,
    packages: [
      ["haproxy"],
      ["liblua5.3-0"],
      ["liblua5.4-0"],
      ["libopentracing1"],
      ["libopentracing-c-wrapper0", "libopentracing-c-wrapper0t64"],
    ],
  },
  pgbouncer: {
    title: "PgBouncer",
    locate: locatePgbouncer,
    packages: [["pgbouncer"], ["libcares2", "libc-ares2"], ["libevent-2.1-7", "libevent-2.1-7t64"]],
  },
  prometheus: {
    title: "Prometheus",
    locate: locatePromtool,
    packages: [["prometheus"]],
    paths: ["usr/bin/promtool"],
  },
};

/** Undefined, as of the others, where it is neither installed nor unpacked. */
export function locateHaproxy() {
  return locateWithLibraries("haproxy", "usr/sbin/haproxy");
}

export function locatePgbouncer() {
  return locateWithLibraries("pgbouncer", "usr/sbin/pgbouncer");
}

export function locatePromtool() {
  return locateProgram("prometheus", "usr/bin/promtool");
}

/** The path of `path` of the system where it is installed, else of what was unpacked as `name`; undefined without both. */
function locateProgram(name, path) {
  return [join("/", path), join(unpackedFolder(name), path)].find((file) => existsSync(file));
}

/**
 * The same, with the value of LD_LIBRARY_PATH with which it finds the libraries that were unpacked with it.
 * @returns {{ program: string, libraries: string } | undefined}
 */
function locateWithLibraries(name, path) {
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

function unpack(name, { packages, paths = [] }) {
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
      const command = 'dpkg-deb --fsys-tarfile "$0" | tar -x -C unpacked "$@"';
      run("bash", "-o", "pipefail", "-c", command, archive, ...members);
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

if (isMain(import.meta.url)) {
  const name = process.argv[2];
  const tool = TOOLS[name];
  try {
    if (!tool.locate()) unpack(name, tool);
  } catch (error) {
    // No error: the tests that need it say so, or are skipped.
    process.stderr.write(`${tool.title} could not be fetched: ${error.message}\n`);
  }
}
