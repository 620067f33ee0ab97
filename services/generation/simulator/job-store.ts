/** Keeps jobs: all in memory, and each in a JSON file that is always whole. */
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "#runtime/log.ts";
import type { Job } from "./job.ts";

export type JobStore = {
  all(): Iterable<Job>;
  get(id: string): Job | undefined;
  /** Oldest first. */
  withClientToken(clientToken: string): Job[];
  /** Visible at once; resolves when it is on disk. Saves of one job arrive there in order. */
  save(job: Job): Promise<void>;
  /** Resolves when every save has ended. */
  settled(): Promise<void>;
};

/** Opens `directory`, reading the jobs that an earlier run left in it. */
export async function openJobStore(directory: string, log: Log): Promise<JobStore> {
  await mkdir(directory, { recursive: true });
  const jobs = new Map<string, Job>();
  const idsByToken = new Map<string, Set<string>>();
  let lastSave: Promise<void> = Promise.resolve();

  const remember = (job: Job): void => {
    jobs.set(job.id, job);
    const ids = idsByToken.get(job.request.client_token) ?? new Set();
    idsByToken.set(job.request.client_token, ids.add(job.id));
  };
  const write = async (job: Job): Promise<void> => {
    const path = join(directory, `${job.id}.json`);
    await writeFile(`${path}.tmp`, JSON.stringify(job));
    await rename(`${path}.tmp`, path);
  };

  for (const job of await readJobs(directory, log)) remember(job);
  return {
    all: () => jobs.values(),
    get: (id) => jobs.get(id),
    withClientToken: (clientToken) =>
      [...(idsByToken.get(clientToken) ?? [])].flatMap((id) => jobs.get(id) ?? []),
    save: (job) => {
      remember(job);
      const saved = lastSave.then(() => write(job));
      lastSave = saved.catch(() => undefined);
      return saved;
    },
    settled: () => lastSave,
  };
}

async function readJobs(directory: string, log: Log): Promise<Job[]> {
  const jobs: Job[] = [];
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (name.endsWith(".tmp")) await rm(path, { force: true });
    if (!name.endsWith(".json")) continue;
    try {
      jobs.push(JSON.parse(await readFile(path, "utf8")) as Job);
    } catch (error) {
      log.warn({ path, err: error }, "a job file cannot be read and is left out");
    }
  }
  return jobs.sort((one, other) => one.created_at.localeCompare(other.created_at));
}
