/** Fetches an upstream's result to a temporary file: streamed, counted and limited in size. */
import { open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";
import { randomToken } from "#runtime/id.ts";
import { egressErrorCode } from "../egress/error-code.ts";
import { deadline } from "../egress/http-exchange.ts";
import { inFolder } from "../storage/in-folder.ts";
import { openDownload } from "./open-download.ts";

export type FileSource = {
  kind: "url";
  url: string;
  /** The URL's origin is in our configuration, so its address is not checked. */
  isConfiguredOrigin: boolean;
  /** Sent to the URL's own origin only, not to other origins that it redirects to. */
  headers?: Record<string, string>;
};

export type FetchDeps = {
  /** The agent for all other origins: see createGuardedAgent. */
  guarded: Dispatcher;
  /** The agent for configured origins. */
  direct: Dispatcher;
  /** The folder for temporary files; created if it does not exist. */
  directory: string;
};

export type FetchLimits = { maxBytes: number; deadlineMs: number };

/** A temporary file, removed when it is disposed of. */
export type FetchedFile = AsyncDisposable & { outcome: "ok"; path: string; bytes: number };

export type FetchResult =
  | FetchedFile
  /** The upstream's temporary URL has expired. */
  | { outcome: "gone"; statusCode: number }
  /** A retry may succeed. `reason` is for the log. */
  | { outcome: "retryable"; reason: string };

/** Rejects only if our own disk fails; faults of the upstream and the network are results. */
export async function fetchSource(
  { guarded, direct, directory }: FetchDeps,
  source: FileSource,
  limits: FetchLimits,
): Promise<FetchResult> {
  const path = join(directory, `${randomToken()}.part`);
  using limit = deadline(limits.deadlineMs);
  const { signal } = limit;
  const opened = await openDownload({ guarded, direct }, source, signal);
  if (opened.outcome === "gone") return opened;
  // Whatever it was: the next poll may bring another URL.
  if (opened.outcome === "failed") return { outcome: "retryable", reason: opened.reason };
  return await save(path, opened.body, opened.announcedBytes, limits, signal);
}

async function save(
  path: string,
  body: Readable,
  announcedBytes: number | undefined,
  { maxBytes }: FetchLimits,
  signal: AbortSignal,
): Promise<FetchResult> {
  let bytes = 0;
  async function* measured(): AsyncGenerator<Uint8Array> {
    for await (const chunk of withSourceFaults(body)) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new SourceFault(`more than ${maxBytes} bytes`);
      yield chunk;
    }
  }
  try {
    if ((announcedBytes ?? 0) > maxBytes) throw new SourceFault(`more than ${maxBytes} bytes`);
    const file = await inFolder(dirname(path), () => open(path, "wx"));
    await pipeline(measured, file.createWriteStream(), { signal });
    if ((announcedBytes ?? bytes) !== bytes) {
      throw new SourceFault(`${bytes} of ${announcedBytes} bytes`);
    }
  } catch (error) {
    body.on("error", () => undefined).destroy();
    await rm(path, { force: true });
    if (signal.aborted) return { outcome: "retryable", reason: "timeout" };
    if (error instanceof SourceFault) return { outcome: "retryable", reason: error.message };
    throw error;
  }
  const remove = (): Promise<void> => rm(path, { force: true });
  return { outcome: "ok", path, bytes, [Symbol.asyncDispose]: remove };
}

/** A fault of the upstream or the network, as opposed to one of our own disk. */
class SourceFault extends Error {
  override name = "SourceFault";
}

async function* withSourceFaults(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw new SourceFault(egressErrorCode(error), { cause: error });
  }
}
