/** Starts a part in a process of its own, to see what becomes of it when that process is killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { isAlive } from "../../../services/standalone/embedded/process-info.ts";

export type HeldPart = {
  /** The part's own process number. */
  pid: number;
  /** SIGKILL for the process that started it, and for that one alone. */
  killStarter(): Promise<void>;
};

/** `path` becomes PATH: without the system's folders there is no setpriv, as on other systems. */
export async function holdPart(
  part: "nats" | "postgres",
  options: { directory: string; port: number; pidFile: string; path?: string | undefined },
): Promise<HeldPart> {
  const script = fileURLToPath(new URL("keep-server.ts", import.meta.url));
  const { directory, port, pidFile, path = process.env["PATH"] ?? "" } = options;
  const starter = spawn(process.execPath, [script, part, directory, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PATH: path },
  });
  await once(starter.stdout, "data");
  return {
    pid: Number.parseInt(await readFile(pidFile, "utf8"), 10),
    async killStarter() {
      starter.kill("SIGKILL");
      await once(starter, "exit");
    },
  };
}

/** Resolves when the process is gone; the test's own time limit ends a wait in vain. */
export async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}
