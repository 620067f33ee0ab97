/** Saves a generation's file: whole or not at all. */
import { createWriteStream } from "node:fs";
import { access, constants, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SaveError, UsageError } from "./cli-errors.ts";

/** Throws UsageError where nothing can be saved at `path`: to be known before Tokens are spent. */
export async function checkWritable(path: string): Promise<void> {
  const folder = dirname(path);
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new UsageError(`--out is a folder: ${path}`);
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new UsageError(`Nothing can be saved in ${folder}: is it there?`, { cause });
  });
}

/** Downloads `url` to `path`, replacing what is there. Throws SaveError where that does not work. */
export async function save(
  { url, bytes }: { url: string; bytes: number },
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const part = `${path}.part`;
  try {
    const response = await fetch(url, { signal });
    if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
    await pipeline(Readable.fromWeb(response.body), createWriteStream(part), { signal });
    const { size } = await stat(part);
    if (size !== bytes) throw new Error(`${size} of ${bytes} bytes came`);
    await rename(part, path);
  } catch (cause) {
    await rm(part, { force: true });
    if (signal.aborted) throw cause;
    throw new SaveError(`${url} cannot be saved: ${(cause as Error).message}`, { cause });
  }
}

/** The name of the file where the person gave none: the id, with the ending of the stored one. */
export function defaultName(id: string, url: string): string {
  return `${id}${/\.[a-z0-9]+$/.exec(new URL(url).pathname)?.[0] ?? ""}`;
}
