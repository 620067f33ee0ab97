/** The files of the machine, for runtimes that have some: pictures are read from them, and outputs saved to them. */
import { ArgumentError, ConnectionError } from "./errors.ts";

const READ_BODY = "read the body of the response";

/** Not by an import: bundlers for runtimes without files would refuse it. */
function fileSystem(instead: string) {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  if (!process?.getBuiltinModule)
    throw new ArgumentError(`This runtime takes no path: ${instead}.`);
  return {
    ...process.getBuiltinModule("node:fs/promises"),
    ...process.getBuiltinModule("node:path"),
  };
}

/** Throws ArgumentError where no file can be saved at `path`. */
export async function checkPath(path: string): Promise<void> {
  const files = fileSystem(READ_BODY);
  const found = await files.stat(path).catch(() => undefined);
  if (found?.isDirectory())
    throw new ArgumentError(`${path} is a folder. Give a file: ${files.join(path, "cat.mp4")}.`);
  const folder = files.dirname(path);
  await files.access(folder).catch((cause: unknown) => {
    throw new ArgumentError(`There is no folder ${folder} for ${path}. Make it first.`, { cause });
  });
}

/** Throws ArgumentError where there is no such file. */
export async function readFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { readFile: read } = fileSystem("pass a Blob or a stream");
  return read(path).catch((cause: unknown) => {
    const isThere = (cause as { code?: string }).code !== "ENOENT";
    const fault = isThere ? `${path} is no file that can be read.` : `There is no file ${path}.`;
    throw new ArgumentError(fault, { cause });
  });
}

/**
 * Writes a body to `path`, in place of a file that is there; a file that is not complete replaces none and leaves none.
 * `bytes` is the size that it must have, if that is known. Throws ConnectionError where the body breaks off, and the
 * runtime's error where it cannot be written.
 */
export async function saveBody(
  body: AsyncIterable<Uint8Array>,
  path: string,
  { bytes, signal }: { bytes: number | undefined; signal: AbortSignal | undefined },
): Promise<void> {
  const { writeFile, stat, rename, rm } = fileSystem(READ_BODY);
  const partPath = `${path}.part`;
  try {
    await writeFile(partPath, chunksOf(body, signal));
    const { size } = await stat(partPath);
    if (bytes !== undefined && size !== bytes)
      throw new ConnectionError(`The file broke off: ${size} of ${bytes} bytes received`);
    await rename(partPath, path);
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ConnectionError(`The file broke off: ${(cause as Error).message}`, { cause });
  }
}
