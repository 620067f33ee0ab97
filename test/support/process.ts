/** A program of this project as a process group of its own, started and killed as a person would. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type Running = AsyncDisposable & {
  output: () => string;
  /** Resolves with the output when it contains `text`; rejects when the process ends before. */
  says: (text: string) => Promise<string>;
  /** Signals the process alone and waits for nothing. */
  signal: (signal: NodeJS.Signals) => void;
  /** Signals the process, or its whole group, and resolves with its exit code when it has ended. */
  end: (signal: NodeJS.Signals, whom?: "process" | "group") => Promise<number | null>;
  exited: Promise<number | null>;
};

/** Runs a TypeScript file with the Node of this test, and nothing of this test's environment but PATH. */
export function startProcess(
  file: string,
  env: Record<string, string>,
  args: string[] = [],
): Running {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: ROOT,
    env: {
      PATH: process.env["PATH"] ?? "",
      NATS_SERVER: process.env["NATS_SERVER"] ?? "",
      ...env,
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const waiting = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    output += chunk.toString();
    for (const check of waiting) check();
  };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  const exited = once(child, "close").then(([code]) => code as number | null);
  const end: Running["end"] = async (signal, whom = "process") => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(whom === "group" ? -child.pid : child.pid, signal);
    }
    return exited;
  };
  return {
    output: () => output,
    says: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!output.includes(text)) return;
          waiting.delete(check);
          resolve(output);
        };
        waiting.add(check);
        void exited.then(() => reject(new Error(`ended before it said "${text}":\n${output}`)));
        check();
      }),
    signal: (signal) => void child.kill(signal),
    end,
    exited,
    [Symbol.asyncDispose]: async () => {
      await end("SIGTERM");
    },
  };
}

/** Runs a program to its end. */
export async function runToEnd(
  file: string,
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number | null; output: string }> {
  const running = startProcess(file, env, args);
  const code = await running.exited;
  return { code, output: running.output() };
}
