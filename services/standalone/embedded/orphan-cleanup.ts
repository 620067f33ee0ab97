/** Stops servers that an earlier run, killed without warning, left behind. */
import { readFile, writeFile } from "node:fs/promises";
import { systemClock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { commandLine, isAlive } from "./process-info.ts";
import { StartError } from "../start-error.ts";

const LOOK_EVERY_MS = 20;

export type StopStep = { signal: NodeJS.Signals; waitMs: number };

/**
 * Ends the process whose number is in the first line of `pidFile`, if its command line names `mark`.
 * Each step sends its signal and waits; the caller holds the data folder's lock, so nobody else
 * is using that process.
 */
export async function stopLeftOver(
  pidFile: string,
  mark: string,
  steps: readonly StopStep[],
  log: Log,
): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, "utf8").catch(() => ""), 10);
  if (!isAlive(pid) || !commandLine(pid)?.includes(mark)) return;
  log.warn({ pid }, "stopping a server that an earlier run left behind");
  for (const { signal, waitMs } of steps) {
    send(pid, signal);
    if (await isGone(pid, waitMs)) return;
  }
  throw new StartError(`Process ${pid} of an earlier run still uses ${mark} and does not end.`);
}

/**
 * A number in a stale pid file may by now belong to an innocent process, which PostgreSQL would take
 * for a living server. It never takes its own parent for one, so the file is made to name us; the
 * rest of the file stays, because PostgreSQL looks for orphans of the old server by it.
 */
export async function disownPidFile(pidFile: string): Promise<void> {
  const text = await readFile(pidFile, "utf8").catch(() => "");
  const [pid = "", ...rest] = text.split("\n");
  if (!isAlive(Number.parseInt(pid, 10))) return;
  await writeFile(pidFile, [process.pid, ...rest].join("\n"));
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return;
    throw new StartError(
      `Process ${pid} of an earlier run belongs to another user; end it, then start again.`,
    );
  }
}

async function isGone(pid: number, waitMs: number): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += LOOK_EVERY_MS) {
    if (!isAlive(pid)) return true;
    await systemClock.sleep(LOOK_EVERY_MS);
  }
  return !isAlive(pid);
}
