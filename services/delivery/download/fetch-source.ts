/** Fetches an upstream's result to a temporary file: streamed, counted and limited in size. */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";
import { randomToken } from "#runtime/id.ts";
import { download } from "../egress/download.ts";
import { inFolder } from "../storage/filesystem.ts";

export type FileSource = {
  url: string;
  /** The URL's origin is in our configuration, so its address is not checked. */
  configuredOrigin: boolean;
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
export type FetchedFile = AsyncDisposable & { outcome: "ok"; path: string; isWhole: boolean };

export type FetchResult =
  | FetchedFile
  /** The upstream's temporary URL has expired. */
  | { outcome: "gone"; statusCode: number }
  /** A retry cannot succeed. */
  | { outcome: "refused"; reason: string }
  /** A retry may succeed. `reason` is for the log. */
  | { outcome: "retryable"; reason: string };

/** Rejects only if our own disk fails; faults of the upstream and the network are results. */
export async function fetchSource(
  { guarded, direct, directory }: FetchDeps,
  { url, configuredOrigin, headers = {} }: FileSource,
  { maxBytes, deadlineMs }: FetchLimits,
): Promise<FetchResult> {
  const path = join(directory, `${randomToken()}.part`);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(path, { force: true }));
  const signal = AbortSignal.timeout(deadlineMs);
  const agents = configuredOrigin ? { guarded, direct } : { guarded };
  const fetched = await download(url, { ...agents, headers, maxBytes, signal }, async (chunks) => {
    const file = await inFolder(directory, () => open(path, "wx"));
    await pipeline(chunks, file.createWriteStream());
  });
  if (fetched.outcome === "too_long") return { outcome: "refused", reason: fetched.reason };
  // Whatever it was: the next poll may bring another URL.
  if (fetched.outcome === "failed") return { outcome: "retryable", reason: fetched.reason };
  if (fetched.outcome === "gone") return fetched;
  const kept = stack.move();
  const { isWhole } = fetched;
  return { outcome: "ok", path, isWhole, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
