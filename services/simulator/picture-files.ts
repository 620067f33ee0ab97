/** The pictures' files: rendered on demand, kept in a folder that is a cache and nothing more. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rm, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { HOUR_MS, MINUTE_MS, type Clock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/loops.ts";
import type { SimulatorConfig } from "./config.ts";
import { UNFINISHED_ENDING, type Picture, type RenderStyle } from "./render/picture.ts";
import { createRenderer } from "./render/renderer.ts";

export type PictureFiles = Awaited<ReturnType<typeof openPictureFiles>>;

/** No render takes this long: an unfinished file of this age was left by a killed process. */
const ABANDONED_AFTER_MS = HOUR_MS;

/** A file shows a prompt that its owner may delete at any time; it is copied within moments, else rendered again. */
const KEPT_MS = 10 * MINUTE_MS;

/** Several replicas may share the folder. */
export async function openPictureFiles(
  config: Pick<SimulatorConfig, "cacheDirectory" | "render" | "maxCacheBytes">,
  { clock, log }: { clock: Clock; log: Log },
) {
  const { cacheDirectory: directory, render: style, maxCacheBytes: maxBytes } = config;
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const renders = new Map<string, Promise<void>>();
  const failures = new Map<string, Error>();
  const renderer = createRenderer();
  let isClosing = false;
  const trim = () => trimCache(directory, maxBytes);

  const render = async (picture: Picture, name: string): Promise<void> => {
    try {
      await renderer.render(picture, style, join(directory, name));
    } catch (error) {
      if (!isClosing)
        log.error({ kind: picture.kind, err: error }, "a picture could not be rendered");
      throw error;
    }
    await trim().catch((error: unknown) => {
      log.warn({ err: error }, "the cache of pictures could not be trimmed");
    });
    log.info({ kind: picture.kind }, "a picture was rendered");
  };
  /** All who ask for one file share one render. */
  const rendered = (picture: Picture, name: string): Promise<void> => {
    const running = renders.get(name) ?? render(picture, name).finally(() => renders.delete(name));
    renders.set(name, running);
    return running;
  };

  const name = "trim the cache of pictures";
  const job = { name, firstAfterMs: 0, everyMs: MINUTE_MS, run: trim };
  const trimming = startPeriodicJobs([job], { clock, log });

  return {
    /** Whether the file is in the cache, else begins its render. A failed render is reported once. */
    prepare(picture: Picture): "made" | "making" | Error {
      const name = fileNameOf(picture, style);
      const fault = failures.get(name);
      if (failures.delete(name) && fault) return fault;
      if (!renders.has(name) && existsSync(join(directory, name))) return "made";
      rendered(picture, name).catch((error: Error) => failures.set(name, error));
      return "making";
    },
    /** The file, for which a missing one is rendered first. Rejects where it cannot be rendered. */
    async open(picture: Picture): Promise<FileHandle> {
      const name = fileNameOf(picture, style);
      const path = join(directory, name);
      const cached = await open(path).catch(() => undefined);
      if (cached !== undefined) return cached;
      await rendered(picture, name);
      return open(path);
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      await trimming[Symbol.asyncDispose]();
      await renderer.end(renders.values());
    },
  };
}

/** The same for pictures that look the same: fixtures differ in size and length only. */
function fileNameOf(picture: Picture, style: RenderStyle): string {
  const { scene, ...shape } = picture;
  const ending = picture.kind === "image" ? (picture.format ?? "png") : "mp4";
  const content = JSON.stringify(style === "draw" ? { scene, ...shape } : shape);
  return `${style}-${createHash("sha256").update(content).digest("hex")}.${ending}`;
}

/** Removes what killed renders left and what is old, then the oldest files until `maxBytes` are not exceeded. */
async function trimCache(directory: string, maxBytes: number): Promise<void> {
  const files = (await filesIn(directory)).toSorted((one, other) => one.mtimeMs - other.mtimeMs);
  const now = Date.now();
  let bytes = files.reduce((sum, { size }) => sum + size, 0);
  for (const { path, size, mtimeMs } of files) {
    const isUnfinished = path.endsWith(UNFINISHED_ENDING);
    const isOld = mtimeMs <= now - (isUnfinished ? ABANDONED_AFTER_MS : KEPT_MS);
    if (!isOld && (isUnfinished || bytes <= maxBytes)) continue;
    await rm(path, { force: true });
    bytes -= size;
  }
}

async function filesIn(directory: string) {
  const paths = (await readdir(directory)).map((name) => join(directory, name));
  const found = paths.map(async (path) => {
    const facts = await stat(path).catch(() => undefined);
    return facts?.isFile() ? [{ path, size: facts.size, mtimeMs: facts.mtimeMs }] : [];
  });
  return (await Promise.all(found)).flat();
}
