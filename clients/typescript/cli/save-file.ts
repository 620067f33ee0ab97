/** Saves a generation's file, completely or not at all. */
import { access, constants, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Client } from "../index.ts";
import { SaveError, UsageError } from "./cli-errors.ts";
import type { StandardStreams } from "./standard-streams.ts";

/** Whether files are saved in it, under names of their own. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** Throws UsageError if there can be no such folder. */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true }).catch((cause: Error) => {
    throw new UsageError(`Cannot make the folder ${path}: ${cause.message}.`, { cause });
  });
}

/** Throws UsageError if no file can be written at or in `path`; called before Tokens are spent. */
export async function checkWritable(path: string): Promise<void> {
  const folder = (await isFolder(path)) ? path : dirname(path);
  await access(folder, constants.W_OK).catch((cause: unknown) => {
    throw new UsageError(`Cannot write to the folder ${folder}: does it exist?`, { cause });
  });
}

/** Downloads an output to `path`, replacing an existing file. Throws SaveError if that fails. */
export async function save(
  { client, signal }: { client: Pick<Client, "download">; signal: AbortSignal },
  { url, bytes }: { url: string; bytes: number },
  path: string,
): Promise<void> {
  const saving = client.download({ url, bytes }, path, { signal });
  await saving.catch(explain(url, signal));
}

/** Downloads an output to the standard output, completely or not at all. Throws SaveError if that fails. */
export async function pipe(
  {
    client,
    signal,
    write,
  }: { client: Pick<Client, "download">; signal: AbortSignal; write: StandardStreams["write"] },
  { url }: { url: string },
): Promise<void> {
  const reading = client.download({ url }, { signal }).then((response) => response.arrayBuffer());
  write(new Uint8Array(await reading.catch(explain(url, signal))));
}

function explain(url: string, signal: AbortSignal): (cause: unknown) => never {
  return (cause) => {
    if (signal.aborted) throw cause;
    throw new SaveError(`${url} cannot be saved: ${(cause as Error).message}`, { cause });
  };
}

/** The default file name: the generation's id with the extension of the stored file. */
export function defaultName(id: string, url: string): string {
  return `${id}${/\.[a-z0-9]+$/.exec(new URL(url).pathname)?.[0] ?? ""}`;
}

/** The name of one of several files: cat.png, cat-2.png, cat-3.png. */
export function numbered(name: string, index: number): string {
  return index === 0 ? name : name.replace(/(\.\w+)?$/, `-${index + 1}$&`);
}
