/** One server process under our care: its log lines, its end, and how it is stopped. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Log } from "#runtime/log.ts";
import type { Launch } from "./launch.ts";

const KEPT_LINES = 30;

export type Child = {
  readonly pid: number | undefined;
  /** Resolves when the process has ended, with its exit code, or null where it has none. */
  readonly ended: Promise<number | null>;
  /** The last lines that it wrote, oldest first. */
  lines(): readonly string[];
  /** Resolves when a line matches; false when the process ended, or `timeoutMs` passed, before one did. */
  says(pattern: RegExp, timeoutMs: number): Promise<boolean>;
  /** From now on, an end that stop() did not cause is logged as an error. */
  expectToStay(): void;
  /** Sends `signal`, then SIGKILL after `killAfterMs`; resolves when the process has ended. */
  stop(signal: NodeJS.Signals, killAfterMs: number): Promise<void>;
};

/** Starts a process; what it writes goes to the log at level debug. */
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
  const hear = (line: string) => {
    kept.push(line);
    if (kept.length > KEPT_LINES) kept.shift();
    log.debug({ part: name }, line);
    for (const listener of listeners) listener(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", hear);
  }

  let staying = false;
  const ended = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      hear(`FATAL: ${error.message}`);
      if (child.pid === undefined) resolve(null);
    });
    child.once("close", (code, signal) => {
      if (staying) log.error({ part: name, code, signal }, "a part ended by itself");
      resolve(code);
    });
  });

  return {
    pid: child.pid,
    ended,
    lines: () => kept,
    async says(pattern, timeoutMs) {
      if (kept.some((line) => pattern.test(line))) return true;
      const said = Promise.withResolvers<boolean>();
      const listener = (line: string) => {
        if (pattern.test(line)) said.resolve(true);
      };
      const timer = setTimeout(() => said.resolve(false), timeoutMs);
      listeners.add(listener);
      const answer = await Promise.race([said.promise, ended.then(() => false)]);
      listeners.delete(listener);
      clearTimeout(timer);
      return answer;
    },
    expectToStay() {
      staying = true;
    },
    async stop(signal, killAfterMs) {
      staying = false;
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
