/** A lock file that names the process that holds it, and is void once that process has ended. */
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { systemClock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { isAlive, startTime } from "./process-info.ts";
import { StartError } from "../settings/start-error.ts";

const TRIES = 100;
const RETRY_MS = 10;

/** Held until disposed. Throws StartError with the text of `inUseMessage` when a living process holds it. */
export async function acquireLock(
  file: string,
  inUseMessage: (owner: number) => string,
): Promise<AsyncDisposable> {
  const mine = `${process.pid} ${startTime(process.pid) ?? ""}\n`;
  const own = `${file}.${randomToken()}`;
  await writeFile(own, mine, { mode: 0o600 });
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const held = await readFile(file, "utf8").catch(() => "");
      if (isHolder(held)) throw new StartError(inUseMessage(Number.parseInt(held, 10)));
      const acquired =
        held === "" ? await createLink(own, file) : await replaceStale(own, file, held);
      if (acquired) return { [Symbol.asyncDispose]: () => release(file, mine) };
      await systemClock.sleep(RETRY_MS);
    }
    throw new StartError(`${file} could not be locked: other processes keep changing it.`);
  } finally {
    await rm(own, { force: true });
  }
}

/** A later process can have the same process id, but not the same start time too. */
function isHolder(held: string): boolean {
  const [pid = "", ...time] = held.trim().split(" ");
  return isAlive(Number(pid)) && (startTime(Number(pid)) ?? "") === time.join(" ");
}

/**
 * Replaces a stale lock. Only the process that holds the claim file may do so: of two processes that saw the same
 * stale lock, the slower one cannot remove the new lock of the faster one.
 */
async function replaceStale(own: string, file: string, stale: string): Promise<boolean> {
  const claim = `${file}.after.${stale.replaceAll(/\W+/g, "-")}`;
  if (!(await createLink(own, claim))) {
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

async function createLink(own: string, file: string): Promise<boolean> {
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
