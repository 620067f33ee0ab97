/** Stops servers of an earlier run that was killed. */
import { readFile, writeFile } from "node:fs/promises";
import { systemClock } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { commandLine, isAlive } from "../data-folder/process-info.ts";
import { StartError } from "../settings/start-error.ts";

const CHECK_EVERY_MS = 20;

export type StopStep = { signal: NodeJS.Signals; waitMs: number };

/**
 * Ends the process whose id is in the first line of `pidFile`, if its command line contains `mark`. Each step sends
 * its signal and waits. The caller holds the data folder's lock, so no other run uses that process.
 */
export async function stopOrphan(
  pidFile: string,
  mark: string,
  steps: readonly StopStep[],
  log: Log,
): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, "utf8").catch(() => ""), 10);
  if (!isAlive(pid) || !commandLine(pid)?.includes(mark)) return;
  log.warn({ pid }, "stopping a server of an earlier run");
  for (const { signal, waitMs } of steps) {
    send(pid, signal);
    if (await isGone(pid, waitMs)) return;
  }
  throw new StartError(`Process ${pid} of an earlier run uses ${mark} and does not end.`);
}

/**
 * The id in a stale pid file may by now belong to an unrelated process, which PostgreSQL would take for a running
 * server. PostgreSQL never takes its own parent for one, so this writes our id into the file. The rest of the file
 * stays, because PostgreSQL uses it to find processes of the old server.
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
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += CHECK_EVERY_MS) {
    if (!isAlive(pid)) return true;
    await systemClock.sleep(CHECK_EVERY_MS);
  }
  return !isAlive(pid);
}
