/** A child process that runs a server: its output, its exit, and stopping it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Log } from "#runtime/log.ts";
import type { Launch } from "./launch.ts";

const MAX_KEPT_LINES = 30;

export type Child = {
  readonly pid: number | undefined;
  /** Resolves when the process has ended: its exit code, or null when a signal ended it or it never started. */
  readonly ended: Promise<number | null>;
  /** The last lines of output, oldest first. */
  lines(): readonly string[];
  /** Resolves to true when a line matches, to false when the process ends or `timeoutMs` passes first. */
  waitForLine(pattern: RegExp, timeoutMs: number): Promise<boolean>;
  /** From now on, an exit that stop() did not cause is logged as an error. */
  reportUnexpectedExit(): void;
  /** Sends `signal`, then SIGKILL after `killAfterMs`; resolves when the process has ended. */
  stop(signal: NodeJS.Signals, killAfterMs: number): Promise<void>;
};

/** Starts a process and logs its output at level debug. */
export function startChild(name: string, launch: Launch, log: Log): Child {
  const child = spawn(launch.file, launch.args, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" },
    detached: launch.ownGroup,
    ...launch.user,
  });
  const kept: string[] = [];
  const listeners = new Set<(line: string) => void>();
  const onLine = (line: string) => {
    kept.push(line);
    if (kept.length > MAX_KEPT_LINES) kept.shift();
    log.debug({ part: name }, line);
    for (const listener of listeners) listener(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", onLine);
  }

  let mustRun = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      onLine(`FATAL: ${error.message}`);
      if (child.pid === undefined) resolve(null);
    });
    child.once("close", (code, signal) => {
      if (mustRun) log.error({ part: name, code, signal }, "embedded server exited unexpectedly");
      resolve(code);
    });
  });

  return {
    pid: child.pid,
    ended,
    lines: () => kept,
    async waitForLine(pattern, timeoutMs) {
      if (kept.some((line) => pattern.test(line))) return true;
      const found = Promise.withResolvers<boolean>();
      const listener = (line: string) => {
        if (pattern.test(line)) found.resolve(true);
      };
      const timer = setTimeout(() => found.resolve(false), timeoutMs);
      listeners.add(listener);
      const result = await Promise.race([found.promise, ended.then(() => false)]);
      listeners.delete(listener);
      clearTimeout(timer);
      return result;
    },
    reportUnexpectedExit() {
      mustRun = true;
    },
    async stop(signal, killAfterMs) {
      mustRun = false;
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
