/** `node scripts/pgbouncer.mjs`: unpacks Debian's PgBouncer for the tests into the cache folder, if there is none. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = resolve(dirname(fileURLToPath(import.meta.url)), "../.cache");
const UNPACKED = join(CACHE, "pgbouncer");
const PROGRAM = "usr/sbin/pgbouncer";
const DOWNLOAD_TIMEOUT_MS = 60_000;

/** PgBouncer and those of its libraries that a Debian system may lack, whichever version of Debian it is. */
const PACKAGES = [
  ["pgbouncer"],
  ["libcares2", "libc-ares2"],
  ["libevent-2.1-7", "libevent-2.1-7t64"],
];

/**
 * An installed PgBouncer, or the unpacked one with the folders of its libraries; undefined when there is none.
 * @returns {{ program: string, libraries: string } | undefined}
 */
export function locatePgbouncer() {
  if (existsSync(join("/", PROGRAM))) return { program: join("/", PROGRAM), libraries: "" };
  const program = join(UNPACKED, PROGRAM);
  if (!existsSync(program)) return undefined;
  const folders = [join(UNPACKED, "usr/lib"), join(UNPACKED, "lib")].filter(existsSync);
  const nested = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return { program, libraries: [...folders, ...nested].join(":") };
}

/** Needs no root: the packages are not installed. apt checks their signatures. */
function fetchPgbouncer() {
  mkdirSync(CACHE, { recursive: true });
  const work = mkdtempSync(join(CACHE, "fetch-"));
  const run = (file, ...args) =>
    execFileSync(file, args, { cwd: work, stdio: "pipe", timeout: DOWNLOAD_TIMEOUT_MS });
  try {
    for (const names of PACKAGES) {
      const found = names.find((name) => isDownloaded(() => run("apt-get", "download", name)));
      if (!found) throw new Error(`no package ${names.join(" or ")}`);
    }
    for (const name of readdirSync(work)) run("dpkg", "-x", name, "unpacked");
    renameSync(join(work, "unpacked"), UNPACKED);
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

const isMain = process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isMain && !locatePgbouncer()) {
  try {
    fetchPgbouncer();
  } catch (error) {
    // Not an error here: one test file needs it, and says that it is skipped.
    process.stderr.write(`PgBouncer could not be fetched: ${error.message}\n`);
  }
}
