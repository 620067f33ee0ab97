/** Object storage in a folder of the local file system. */
import { mkdir, open, opendir, readdir, rename, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { randomToken } from "#runtime/id.ts";
import { batchByKey } from "#runtime/postgres/batch.ts";
import { assertKey, ifExists, isObjectKey, type Chunks, type ObjectStore } from "./object-store.ts";

// No object can have this name: no key begins with a dot.
const INCOMING = ".incoming";
export const PRIVATE = { recursive: true, mode: 0o700 };

const existing = <T>(operation: Promise<T>) => ifExists(operation, ({ code }) => code === "ENOENT");

/** Objects are written to a temporary file, synced and renamed, so a crash leaves a whole object or none. */
export function createFilesystemStore(directory: string): ObjectStore {
  const incoming = join(directory, INCOMING);
  // Once for the objects that were renamed before.
  const syncFolder = batchByKey({
    maxBatch: Infinity,
    failsTogether: true,
    run: async (_key, objects: readonly undefined[]) => {
      await using folder = await open(directory, "r");
      await folder.sync();
      return objects.map(() => true);
    },
  });
  const pathOf = (key: string): string => {
    assertKey(key);
    return join(directory, key);
  };
  return {
    async put(key, body) {
      const path = pathOf(key);
      await using temporary = temporaryFile(incoming);
      await temporary.write(body, { isSynced: true });
      await temporary.moveTo(path);
      await syncFolder("", undefined);
    },
    async head(key) {
      const info = await existing(stat(pathOf(key)));
      return info?.isFile() ? { bytes: info.size } : undefined;
    },
    async get(key, range) {
      const file = await existing(open(pathOf(key), "r"));
      return file?.createReadStream({ ...range, highWaterMark: 256 * 1024 });
    },
    delete: async (key) => rm(pathOf(key), { force: true }),
    async *list() {
      // Read lazily: there may be millions.
      const folder = await existing(opendir(directory));
      for await (const { name: key } of folder ?? []) {
        const info = isObjectKey(key) ? await existing(stat(join(directory, key))) : undefined;
        if (info?.isFile()) yield { key, storedAt: info.mtime };
      }
    },
    removeUnfinished: (before) => removeFilesBefore(incoming, before),
  };
}

export async function removeFilesBefore(directory: string, before: Date): Promise<void> {
  for (const name of (await existing(readdir(directory))) ?? []) {
    const path = join(directory, name);
    const info = await existing(stat(path));
    if (info?.isFile() && info.mtime < before) await rm(path, { force: true });
  }
}

/** A file that is removed when it is disposed of, if it is still there. Its folder is created where it is missing. */
export function temporaryFile(folder: string) {
  const path = join(folder, `${randomToken()}.part`);
  let isMoved = false;
  return {
    path,
    write: async (chunks: Chunks, { isSynced = false } = {}): Promise<void> => {
      const create = () => open(path, "wx");
      const made = await existing(create());
      if (!made) await mkdir(folder, PRIVATE);
      await using file = made ?? (await create());
      for await (const chunk of chunks) await file.writeFile(chunk);
      if (isSynced) await file.sync();
    },
    moveTo: async (to: string): Promise<void> => {
      await rename(path, to);
      isMoved = true;
    },
    // What is left is removed by a job; an error here would hide why there is anything.
    [Symbol.asyncDispose]: async () => (isMoved ? undefined : rm(path).catch(() => undefined)),
  };
}

/** How many bytes the file system of a folder holds. Rejects where the folder is not there. */
export async function readSpace(directory: string) {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { free: bavail * bsize, size: blocks * bsize };
}
