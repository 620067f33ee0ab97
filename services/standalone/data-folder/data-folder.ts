/** The folder with all data of one `npm start`, used by one process at a time. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { replaceFile } from "./secrets.ts";
import { StartError } from "../settings/start-error.ts";

/** The format of the folder; raised when a newer version can no longer read older folders. */
const FORMAT = "2";

/**
 * Creates the folder if it is missing and locks it until disposed. Throws StartError when another process uses it,
 * when it has another format, or when it holds files that are not of this service.
 */
export async function openDataFolder(path: string) {
  // Started as root, PostgreSQL runs as another user, who must be able to enter. Nobody else can list it, or enter what is inside.
  const mode = process.geteuid?.() === 0 ? 0o711 : 0o700;
  await mkdir(path, { recursive: true, mode }).catch((error: Error) => {
    throw new StartError(`The data folder ${path} cannot be created: ${error.message}`);
  });
  const folder = await realpath(path);
  const isNew = await checkFormat(folder);
  const ownerFile = join(folder, "lock");
  const lock = tryLock(join(folder, "lock.db"));
  const owner = Number.parseInt(await readFile(ownerFile, "utf8").catch(() => ""), 10);
  // Release 1.0.0 has no other lock than this file.
  if (!lock || (owner !== process.pid && commandLine(owner).includes("standalone/main"))) {
    lock?.close();
    throw new StartError(
      `The data folder ${folder} is in use by ${owner ? `process ${owner}` : "another process"}: stop that process first, or choose another DATA_DIR.`,
    );
  }
  const release = async () => {
    await rm(ownerFile, { force: true });
    lock.close();
  };
  try {
    await writeFile(ownerFile, `${process.pid}\n`, { mode: 0o600 });
    if (isNew) await replaceFile(join(folder, "version"), `${FORMAT}\n`);
    await chmod(folder, mode);
    await closeEntries(folder);
  } catch (error) {
    await release();
    throw error;
  }
  // Absolute, without symbolic links.
  return { path: folder, [Symbol.asyncDispose]: release };
}

/** Undefined where another process has it. The kernel takes a lock of SQLite's from a process that ends, however it does. */
function tryLock(file: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(file);
  try {
    // Others could take it too.
    chmodSync(file, 0o600);
    lock.exec("pragma locking_mode = exclusive; begin exclusive");
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}

/** Takes from others what earlier versions left them. PostgreSQL, which may be another user, enters its folder. */
async function closeEntries(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    // Other starts make and remove files that are named after the lock.
    if (/^lock\b/.test(entry.name) || !(entry.isDirectory() || entry.isFile())) continue;
    const path = join(folder, entry.name);
    const { mode } = await stat(path);
    const closed = mode & ~(entry.name === "postgres" ? 0o066 : 0o077);
    if (closed !== mode) await chmod(path, closed & 0o7777);
  }
}

/** Whether the folder is empty. */
async function checkFormat(folder: string): Promise<boolean> {
  const found = (await readFile(join(folder, "version"), "utf8").catch(() => "")).trim();
  if (found === FORMAT) return false;
  if (found !== "") {
    throw new StartError(
      `The data folder ${folder} has format ${found} and this version reads format ${FORMAT}: choose another DATA_DIR.`,
    );
  }
  const others = (await readdir(folder)).filter((name) => !/^(lock|version)\b/.test(name));
  if (others.length === 0) return true;
  throw new StartError(`${folder} is not empty and is not a data folder of this service.`);
}

/** How a process was started, its words joined by spaces; empty where there is no such process, or it has ended. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    if (existsSync("/proc/self")) return "";
  }
  return spawnSync("ps", ["-p", String(pid), "-o", "command="], { encoding: "utf8" }).stdout ?? "";
}
