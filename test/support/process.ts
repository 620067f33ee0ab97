/** Runs a program of this project in a process group of its own, which ends with this process. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { planLaunch } from "../../services/standalone/embedded/process.ts";
import { PASSED_ON, pick } from "./own-environment.ts";

/** Without setpriv, this program's end would leave them running. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** How long a program may take to stop when it is disposed of: less than the time limit of a test. */
const STOP_WITHIN_MS = 20_000;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type Running = ReturnType<typeof startProgram>;

/** Runs a TypeScript file with the Node of this test. Of its environment it gets PASSED_ON only. */
export function startProcess(file: string, env: Record<string, string>, args: string[] = []) {
  return startProgram(process.execPath, [file, ...args], env);
}

/** Runs a program in the root of the project, or of a copy of it. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  root = ROOT,
) {
  const launch = planLaunch({ file: program, args, deathSignal: "KILL" });
  const child = spawn(launch.file, launch.args, {
    cwd: root,
    env: { ...pick(process.env, PASSED_ON), ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  let output = "";
  const waiting = new Set<() => void>();
  const onOutput = (chunk: Buffer) => {
    output += chunk.toString();
    for (const check of waiting) check();
  };
  child.stdout.on("data", onOutput);
  child.stderr.on("data", onOutput);
  const exited = once(child, "close").then(([code]) => code as number | null);
  /** Sends a signal to the process or its group and resolves with the exit code when the process has ended. */
  const end = async (signal: NodeJS.Signals, target: "process" | "group" = "process") => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(target === "group" ? -child.pid : child.pid, signal);
    }
    return exited;
  };
  return {
    pid: child.pid ?? 0,
    output: () => output,
    /** Resolves with the output once it contains `text`; rejects when the process ends first. */
    says: (text: string) =>
      new Promise<string>((resolve, reject) => {
        const check = () => {
          if (!output.includes(text)) return;
          waiting.delete(check);
          resolve(output);
        };
        waiting.add(check);
        void exited.then(() => reject(new Error(`ended before it wrote "${text}":\n${output}`)));
        check();
      }),
    /** Sends a signal to the process and does not wait. */
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    end,
    exited,
    [Symbol.asyncDispose]: async () => {
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      const ended = end("SIGTERM");
      // A test that failed may have left it paused.
      child.kill("SIGCONT");
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Runs a program and waits until it has ended. */
export async function runToEnd(file: string, env: Record<string, string>, args: string[] = []) {
  const running = startProcess(file, env, args);
  const code = await running.exited;
  return { code, output: running.output() };
}
