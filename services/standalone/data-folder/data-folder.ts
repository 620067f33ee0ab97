/** The folder that holds everything of one standalone set-up, used by one process at a time. */
import { mkdir, readdir, readFile, realpath, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "./folder-lock.ts";
import { StartError } from "../start-error.ts";

/** The format of the folder; raised when a newer program can no longer read an older folder. */
const FORMAT = "1";

export type DataFolder = AsyncDisposable & {
  /** Absolute, without symbolic links. */
  readonly path: string;
};

/**
 * Makes the folder where it is missing and locks it until disposed. Throws StartError where another
 * process has it, where it is of another format, or where it is some other folder with things in it.
 */
export async function openDataFolder(path: string): Promise<DataFolder> {
  // Root's PostgreSQL runs as another user, which must be able to pass; what is secret inside has a mode of its own.
  const mode = process.geteuid?.() === 0 ? 0o711 : 0o700;
  await mkdir(path, { recursive: true, mode }).catch((error: Error) => {
    throw new StartError(`The data folder ${path} cannot be made: ${error.message}`);
  });
  const folder = await realpath(path);
  const lockFile = join(folder, "lock");
  const lock = await takeLock(
    lockFile,
    (owner) =>
      `The data folder ${folder} is in use by process ${owner}: stop that one first, or choose another DATA_DIR.`,
  );
  try {
    await checkFormat(folder);
  } catch (error) {
    await lock[Symbol.asyncDispose]();
    throw error;
  }
  return { path: folder, [Symbol.asyncDispose]: () => lock[Symbol.asyncDispose]() };
}

async function checkFormat(folder: string): Promise<void> {
  const file = join(folder, "version");
  const found = (await readFile(file, "utf8").catch(() => "")).trim();
  if (found === "") {
    const things = (await readdir(folder)).filter((name) => !/^(lock|version)\b/.test(name));
    if (things.length > 0) {
      throw new StartError(`${folder} is not empty and is no data folder of this service.`);
    }
    await writeFile(`${file}.new`, `${FORMAT}\n`);
    await rename(`${file}.new`, file);
  } else if (found !== FORMAT) {
    throw new StartError(
      `The data folder ${folder} has format ${found} and this version reads format ${FORMAT}: choose another DATA_DIR.`,
    );
  }
}
