/** Gets the pictures of jobs made, and notes on the job how that went. */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "#runtime/log.ts";
import type { Job } from "./job.ts";
import type { JobStore } from "./job-store.ts";
import { needsPicture } from "./plan.ts";
import type { Renderer } from "./render/renderer.ts";
import type { Picture, RenderStyle } from "./render/task.ts";

export type Studio = AsyncDisposable & {
  /** Begins the picture of a new job, unless the job will have none. */
  begin(job: Job): void;
  /** Gives up the picture of a canceled job. */
  abandon(jobId: string): void;
};

const FOLDERS = { draw: "files", fixture: "fixtures" } as const;

/** Opens the studio and begins, once more, the pictures of jobs that an earlier run left unmade. */
export async function openStudio(
  config: { directory: string; style: RenderStyle },
  deps: { jobs: JobStore; renderer: Renderer; log: Log },
): Promise<Studio> {
  const { jobs, renderer, log } = deps;
  const running = new Map<
    string,
    { readonly stop: AbortController; readonly done: Promise<void> }
  >();
  const fixtures = new Map<string, Promise<void>>();
  for (const folder of Object.values(FOLDERS)) await sweep(join(config.directory, folder));

  const make = async (job: Job, signal: AbortSignal): Promise<void> => {
    const picture = pictureOf(job, config.style);
    const file = fileOf(job, picture);
    try {
      await (picture.style === "draw"
        ? renderer.render(picture, join(config.directory, file), signal)
        : canned(picture, file));
      if (signal.aborted) return;
      await jobs.save({ ...(jobs.get(job.id) ?? job), file });
      log.info({ job: job.id, file }, "a picture is made");
    } catch (error) {
      if (signal.aborted) return;
      log.error({ job: job.id, err: error }, "a picture could not be made");
      const reason = error instanceof Error ? error.message : String(error);
      await jobs.save({ ...(jobs.get(job.id) ?? job), render_error: reason });
    }
  };

  /** One render for all who ask for the same kind, size and length. */
  const canned = (picture: Picture, file: string): Promise<void> => {
    const path = join(config.directory, file);
    const made = fixtures.get(file) ?? renderUnlessThere(renderer, picture, path);
    fixtures.set(file, made);
    made.catch(() => fixtures.delete(file));
    return made;
  };

  const begin = (job: Job): void => {
    if (!needsPicture(job.plan) || running.has(job.id)) return;
    const stop = new AbortController();
    const done = make(job, stop.signal)
      .catch((error: unknown) => log.error({ job: job.id, err: error }, "a job cannot be saved"))
      .finally(() => running.delete(job.id));
    running.set(job.id, { stop, done });
  };

  for (const job of jobs.all()) {
    if (job.canceled_at !== undefined || job.render_error !== undefined) continue;
    if (job.file === undefined || !(await exists(join(config.directory, job.file)))) begin(job);
  }
  return {
    begin,
    abandon: (jobId) => running.get(jobId)?.stop.abort(),
    [Symbol.asyncDispose]: async () => {
      const leftovers = [...running.values()];
      for (const { stop } of leftovers) stop.abort();
      await renderer[Symbol.asyncDispose]();
      await Promise.all(leftovers.map(({ done }) => done));
    },
  };
}

function pictureOf({ request, seed }: Job, style: RenderStyle): Picture {
  const { width, height, prompt, kind, duration_seconds: durationSeconds } = request;
  const common = { width, height, prompt, seed, style };
  return kind === "image"
    ? { ...common, kind }
    : { ...common, kind, durationSeconds: durationSeconds ?? 0 };
}

function fileOf(job: Job, picture: Picture): string {
  const ending = picture.kind === "image" ? "png" : "mp4";
  if (picture.style === "draw") return `${FOLDERS.draw}/${job.id}.${ending}`;
  const length = picture.kind === "image" ? "" : `-${picture.durationSeconds}s`;
  return `${FOLDERS.fixture}/${picture.width}x${picture.height}${length}.${ending}`;
}

async function renderUnlessThere(
  renderer: Renderer,
  picture: Picture,
  path: string,
): Promise<void> {
  if (!(await exists(path))) await renderer.render(picture, path, new AbortController().signal);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Makes the folder, and removes from it what a killed render left half written. */
async function sweep(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    if (name.endsWith(".tmp")) await rm(join(folder, name), { force: true });
  }
}
