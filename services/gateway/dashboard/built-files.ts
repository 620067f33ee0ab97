/** The files that the build of the dashboard left, read once, with what a browser is to know of each. */
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";

export type BuiltFile = {
  content: Buffer;
  /** Absent where it would not be smaller. */
  gzipped: Buffer | undefined;
  type: string;
  etag: string;
};

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
};

export type FilesIn = () => Promise<ReadonlyMap<string, BuiltFile>>;

/** By their path below `directory`, with slashes; none where it is not there, which is looked at again. */
export function builtFiles(directory: string): FilesIn {
  let read: ReadonlyMap<string, BuiltFile> | undefined;
  return async () => (read ??= await readAll(directory)) ?? new Map();
}

async function readAll(directory: string): Promise<ReadonlyMap<string, BuiltFile> | undefined> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    () => undefined,
  );
  const paths = entries?.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
  if (!paths?.some((path) => path === join(directory, "index.html"))) return undefined;
  const files = paths.map(async (path) => {
    const name = relative(directory, path).replaceAll(sep, "/");
    return [name, fileOf(path, await readFile(path))] as const;
  });
  return new Map(await Promise.all(files));
}

function fileOf(path: string, content: Buffer): BuiltFile {
  const zipped = gzipSync(content);
  return {
    content,
    gzipped: zipped.length < content.length ? zipped : undefined,
    type: TYPES[extname(path)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(content).digest("base64url")}"`,
  };
}
