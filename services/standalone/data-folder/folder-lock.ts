/** A lock file that names the process which holds it, and is worth nothing once that process has ended. */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { systemClock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { isAlive, startTime } from "../embedded/process-info.ts";
import { StartError } from "../start-error.ts";

const TRIES = 100;
const RETRY_MS = 10;

/** Held until disposed; where a living process holds it, throws StartError with what `taken` says of its number. */
export async function takeLock(
  file: string,
  taken: (owner: number) => string,
): Promise<AsyncDisposable> {
  const mine = `${process.pid} ${startTime(process.pid) ?? ""}\n`;
  const own = `${file}.${randomToken()}`;
  await writeFile(own, mine);
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const held = await readFile(file, "utf8").catch(() => "");
      if (isHolder(held)) throw new StartError(taken(Number.parseInt(held, 10)));
      const got = held === "" ? await linked(own, file) : await takeOver(own, file, held);
      if (got) return { [Symbol.asyncDispose]: () => release(file, mine) };
      await systemClock.sleep(RETRY_MS);
    }
    throw new StartError(`${file} can be taken neither from a living process nor from a dead one.`);
  } finally {
    await rm(own, { force: true });
  }
}

/** A later process can have the number of an ended one, but not its start time too. */
function isHolder(held: string): boolean {
  const [pid = "", ...time] = held.trim().split(" ");
  return isAlive(Number(pid)) && (startTime(Number(pid)) ?? "") === time.join(" ");
}

/**
 * A stale lock is replaced only by who holds the claim on it, so that of two starters which saw the
 * same stale lock, the later one cannot throw away the new lock of the earlier one.
 */
async function takeOver(own: string, file: string, stale: string): Promise<boolean> {
  const claim = `${file}.after.${stale.replaceAll(/\W+/g, "-")}`;
  if (!(await linked(own, claim))) {
    if (!isHolder(await readFile(claim, "utf8").catch(() => ""))) await rm(claim, { force: true });
    return false;
  }
  try {
    if ((await readFile(file, "utf8").catch(() => "")) !== stale) return false;
    await rename(own, file);
    return true;
  } finally {
    await rm(claim, { force: true });
  }
}

async function linked(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function release(file: string, mine: string): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => "")) === mine) await rm(file, { force: true });
}
