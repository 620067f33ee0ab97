/** Reads the dashboard's built files into memory, each with its type, ETag and gzipped form. */
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { gzipSync } from "node:zlib";

export type BuiltFile = {
  content: Buffer;
  /** Undefined when it would not be smaller. */
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

export type ReadBuiltFiles = () => Promise<ReadonlyMap<string, BuiltFile>>;

/** The files by their path below `directory`. Empty while the build is missing; then the next call reads again. */
export function builtFiles(directory: string): ReadBuiltFiles {
  let files: ReadonlyMap<string, BuiltFile> | undefined;
  return async () => (files ??= await readAll(directory)) ?? new Map();
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
  const gzipped = gzipSync(content);
  return {
    content,
    gzipped: gzipped.length < content.length ? gzipped : undefined,
    type: TYPES[extname(path)] ?? "application/octet-stream",
    etag: `"${createHash("sha256").update(content).digest("base64url")}"`,
  };
}
