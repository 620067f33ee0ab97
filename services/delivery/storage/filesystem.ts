/** Object storage in a folder of the local file system. */
import {
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  type FileHandle,
} from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { randomToken } from "#runtime/id.ts";
import {
  assertKey,
  isObjectKey,
  measure,
  type ListedObject,
  type ObjectStore,
} from "./object-store.ts";

// No object can be in this folder: no segment of a key begins with a dot.
const INCOMING = ".incoming";

/** Objects are written to a temporary file, synced and renamed, so a crash leaves a whole object or none. */
export function createFilesystemStore(directory: string): ObjectStore {
  const incoming = join(directory, INCOMING);
  const pathOf = (key: string): string => {
    assertKey(key);
    return join(directory, key);
  };
  return {
    async put(key, body) {
      const path = pathOf(key);
      await using temporary = temporaryFile(incoming);
      const { chunks, result } = measure(body);
      await temporary.write(chunks, { isSynced: true });
      await publish(temporary.path, path);
      return result();
    },
    async head(key) {
      const info = await orUndefined(stat(pathOf(key)));
      return info?.isFile() ? { bytes: info.size } : undefined;
    },
    async get(key, range) {
      const file = await openFile(pathOf(key));
      if (file === undefined) return undefined;
      const stream = file.handle.createReadStream({ ...range, highWaterMark: 256 * 1024 });
      return { stream, bytes: file.bytes };
    },
    delete: async (key) => rm(pathOf(key), { force: true }),
    list: () => listFiles(directory),
    removeUnfinished: (before) => removeFilesBefore(incoming, before),
  };
}

/** All files below `directory`, listed lazily: there may be millions. */
async function* listFiles(directory: string): AsyncGenerator<ListedObject> {
  const folder = await orUndefined(opendir(directory, { recursive: true }));
  for await (const entry of folder ?? []) {
    const path = join(entry.parentPath, entry.name);
    const key = relative(directory, path);
    if (!entry.isFile() || !isObjectKey(key)) continue;
    const info = await orUndefined(stat(path));
    if (info) yield { key, storedAt: info.mtime };
  }
}

export async function removeFilesBefore(directory: string, before: Date): Promise<number> {
  let removed = 0;
  for (const name of (await orUndefined(readdir(directory))) ?? []) {
    const path = join(directory, name);
    const info = await orUndefined(stat(path));
    if (!info?.isFile() || info.mtime >= before) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

async function publish(temporary: string, path: string): Promise<void> {
  const folder = dirname(path);
  await inFolder(folder, () => rename(temporary, path));
  await using handle = await open(folder, "r");
  await handle.sync();
}

async function openFile(path: string): Promise<{ handle: FileHandle; bytes: number } | undefined> {
  await using stack = new AsyncDisposableStack();
  const handle = stack.use(await orUndefined(open(path, "r")));
  const info = await handle?.stat();
  if (!handle || !info?.isFile()) return undefined;
  stack.move();
  return { handle, bytes: info.size };
}

/** Undefined if the file does not exist. */
async function orUndefined<T>(operation: Promise<T>): Promise<T | undefined> {
  try {
    return await operation;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** A file that is removed when it is disposed of, if it is still there. Its folder is created where it is missing. */
export function temporaryFile(folder: string) {
  const path = join(folder, `${randomToken()}.part`);
  return {
    path,
    write: async (chunks: AsyncIterable<Uint8Array>, { isSynced = false } = {}): Promise<void> => {
      await using file = await inFolder(folder, () => open(path, "wx"));
      for await (const chunk of chunks) await file.writeFile(chunk);
      if (isSynced) await file.sync();
    },
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  };
}

/** Runs `operation`, which creates a file in `folder`; where the folder is missing, creates it and runs it again. */
async function inFolder<T>(folder: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await mkdir(folder, { recursive: true });
    return operation();
  }
}

/** Bytes. */
export type Space = { free: number; size: number };

/** How much the file system of a folder holds. Rejects where the folder is not there. */
export async function readSpace(directory: string): Promise<Space> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { free: bavail * bsize, size: blocks * bsize };
}
