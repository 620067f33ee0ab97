/** Finds the Ark task of a submit whose answer was lost, by its time and its unique seed. */
import { addMs } from "#runtime/clock.ts";
import type { Api } from "../shared/http.ts";
import { listAt, numberAt, textAt } from "../shared/json.ts";
import type { Found, LostSubmit } from "../provider.ts";
import { seedOf } from "./requests.ts";

const PAGE_SIZE = 100;
const MAX_PAGES = 10;
/** A list may omit the seed; it is then read from each task. */
const MAX_SEED_READS = 20;
const EARLIER_MS = 60_000;
const LATER_MS = 10 * 60_000;

/** A list may lag behind: a task that it does not have may still appear. */
export async function findTask(
  api: Api,
  tasksPath: string,
  { job, sentAt }: LostSubmit,
  signal: AbortSignal,
): Promise<Found> {
  // A seed that a client chose does not identify one submit.
  const wanted = job.seed === undefined ? seedOf(job) : undefined;
  if (wanted === undefined) return { kind: "unknown" };
  const candidates = await tasksAround(api, tasksPath, sentAt, signal);
  const unread = candidates.filter((task) => numberAt(task, "seed") === undefined);
  if (unread.length > MAX_SEED_READS) return { kind: "unknown" };
  const found: string[] = [];
  for (const task of candidates) {
    const id = textAt(task, "id");
    if (id === undefined) continue;
    const seed = numberAt(task, "seed") ?? (await seedAt(api, `${tasksPath}/${id}`, signal));
    if (seed === wanted) found.push(id);
  }
  const [upstreamId, ...others] = found;
  return upstreamId !== undefined && others.length === 0
    ? { kind: "found", upstreamId }
    : { kind: "unknown" };
}

async function tasksAround(api: Api, path: string, sentAt: Date, signal: AbortSignal) {
  const earliest = addMs(sentAt, -EARLIER_MS).getTime() / 1000;
  const latest = addMs(sentAt, LATER_MS).getTime() / 1000;
  const tasks: unknown[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const query = { page_num: page, page_size: PAGE_SIZE };
    const { body } = await api.call({ method: "GET", path, query }, signal);
    const items = listAt(body, "items");
    tasks.push(...items);
    const isEnough = items.every((item) => (numberAt(item, "created_at") ?? 0) < earliest);
    if (items.length < PAGE_SIZE || isEnough) break;
  }
  return tasks.filter((task) => {
    const createdAt = numberAt(task, "created_at") ?? 0;
    return createdAt >= earliest && createdAt <= latest;
  });
}

async function seedAt(api: Api, path: string, signal: AbortSignal): Promise<number | undefined> {
  return numberAt((await api.call({ method: "GET", path }, signal)).body, "seed");
}
