/** Starts an embedded server from a process of its own, which a test can kill. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isAlive } from "../../../services/standalone/data-folder/process-info.ts";

export type KeptServer = {
  /** The process id of the server. */
  pid: number;
  /** Sends SIGKILL to the process that started the server, not to the server. */
  killStarter(): Promise<void>;
};

/** `path` becomes PATH. */
export async function startKeptServer(
  kind: "nats" | "postgres",
  options: { directory: string; port: number; pidFile: string; path?: string | undefined },
): Promise<KeptServer> {
  const script = fileURLToPath(new URL("keep-server.ts", import.meta.url));
  const { directory, port, pidFile, path = process.env["PATH"] ?? "" } = options;
  const starter = spawn(process.execPath, [script, kind, directory, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PATH: path },
  });
  const ended = once(starter, "exit").then(() => undefined);
  if (!(await Promise.race([once(starter.stdout, "data"), ended]))) throw new Error("no server");
  return {
    pid: Number.parseInt(await readFile(pidFile, "utf8"), 10),
    async killStarter() {
      starter.kill("SIGKILL");
      await once(starter, "exit");
    },
  };
}

/** Resolves when the process has ended; the test's time limit is the limit of the wait. */
export async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
