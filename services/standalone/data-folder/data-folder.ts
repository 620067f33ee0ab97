/** The folder with all data of one `npm start`, used by one process at a time. */
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { acquireLock } from "./folder-lock.ts";
import { StartError } from "../settings/start-error.ts";

/** The format of the folder; raised when a newer version can no longer read older folders. */
const FORMAT = "2";

export type DataFolder = AsyncDisposable & {
  /** Absolute, without symbolic links. */
  readonly path: string;
};

/**
 * Creates the folder if it is missing and locks it until disposed. Throws StartError when another process uses it,
 * when it has another format, or when it holds files that are not of this service.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  // Started as root, PostgreSQL runs as another user, who must be able to enter. Nobody else can list it, or enter what is inside.
  const mode = process.geteuid?.() === 0 ? 0o711 : 0o700;
  await mkdir(path, { recursive: true, mode }).catch((error: Error) => {
    throw new StartError(`The data folder ${path} cannot be created: ${error.message}`);
  });
  const folder = await realpath(path);
  const lockFile = join(folder, "lock");
  const lock = await acquireLock(
    lockFile,
    (owner) =>
      `The data folder ${folder} is in use by process ${owner}: stop that process first, or choose another DATA_DIR.`,
  );
  try {
    await checkFormat(folder);
    await chmod(folder, mode);
    await closeEntries(folder);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return { path: folder, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
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

async function checkFormat(folder: string): Promise<void> {
  const file = join(folder, "version");
  const found = (await readFile(file, "utf8").catch(() => "")).trim();
  if (found === "") {
    const others = (await readdir(folder)).filter((name) => !/^(lock|version)\b/.test(name));
    if (others.length > 0) {
      throw new StartError(`${folder} is not empty and is not a data folder of this service.`);
    }
    await writeFile(`${file}.new`, `${FORMAT}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  } else if (found !== FORMAT) {
    throw new StartError(
      `The data folder ${folder} has format ${found} and this version reads format ${FORMAT}: choose another DATA_DIR.`,
    );
  }
}
