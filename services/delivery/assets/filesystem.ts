/** Object storage in a folder of the local file system. */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { randomToken } from "#runtime/id.ts";
import type { ObjectStore } from "./object-store.ts";
import { assertKey, assertLength, assertPut, contentTypeOf } from "./object-store.ts";

// No key has a segment that begins with a dot, so no object can stand in this folder.
const INCOMING = ".incoming";
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/**
 * A store under `directory`. An object is written to a temporary file of the same file system,
 * synced and renamed: a crash leaves the whole object under its key or none.
 */
export function createFilesystemStore(directory: string): ObjectStore {
  const incoming = join(directory, INCOMING);
  let ready: Promise<void> | undefined;
  const pathOf = (key: string): string => {
    assertKey(key);
    return join(directory, key);
  };
  return {
    async put(key, body, meta) {
      assertPut(key, meta);
      ready ??= prepare(incoming).catch((error: unknown) => {
        ready = undefined;
        throw error;
      });
      await ready;
      const temporary = join(incoming, randomToken());
      try {
        const stored = await writeFile(temporary, body);
        assertLength(meta, stored.bytes);
        await publish(temporary, join(directory, key));
        return stored;
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async head(key) {
      const file = await openFile(pathOf(key));
      if (file === undefined) return undefined;
      await file.handle.close();
      return { bytes: file.bytes, contentType: contentTypeOf(key) };
    },
    async get(key, range) {
      const file = await openFile(pathOf(key));
      if (file === undefined) return undefined;
      const stream = file.handle.createReadStream({ ...range, highWaterMark: 256 * 1024 });
      return { stream, bytes: file.bytes, contentType: contentTypeOf(key) };
    },
    delete: async (key) => rm(pathOf(key), { force: true }),
  };
}

/** Makes the folder for unfinished files and removes those that a crash left long ago. */
async function prepare(incoming: string): Promise<void> {
  await mkdir(incoming, { recursive: true });
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const info = await stat(path).catch(() => undefined);
    if (info && Date.now() - info.mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
  }
}

async function writeFile(path: string, body: AsyncIterable<Uint8Array>) {
  const hash = createHash("sha256");
  let bytes = 0;
  await using file = await open(path, "wx");
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.byteLength;
    await file.writeFile(chunk);
  }
  await file.sync();
  return { bytes, sha256: hash.digest("hex") };
}

async function publish(temporary: string, path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  await rename(temporary, path);
  await using handle = await open(folder, "r");
  await handle.sync();
}

async function openFile(path: string): Promise<{ handle: FileHandle; bytes: number } | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, "r");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
  try {
    const info = await handle.stat();
    if (info.isFile()) return { handle, bytes: info.size };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}
