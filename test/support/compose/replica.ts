/** One replica of a service of compose.yaml: a process that can be killed, paused, stopped and started again. */
import { startProgram, type Running } from "../process.ts";

export type Program = {
  /** `billing-2`. */
  name: string;
  /** `billing`. */
  service: string;
  file: string;
  args: string[];
  environment: Record<string, string>;
  /** A copy of the project that it runs in; undefined: this one. */
  root?: string | undefined;
  /** What it writes once it serves. */
  readyText: string;
  /** The port of 127.0.0.1 where it listens, by the port inside the container. */
  ports: ReadonlyMap<number, number>;
};

export type Replica = ReturnType<typeof createReplica>;

/** Not started yet. */
export function createReplica(program: Program) {
  const { name, service, ports } = program;
  let running: Running | undefined;
  let state: "running" | "paused" | "ended" = "ended";
  let hasStarted = false;
  let earlier = "";
  const current = (): Running => {
    if (running) return running;
    throw new Error(`${name} was never started`);
  };
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    hasStarted = false;
    const ending = current().end(signal);
    if (state === "paused" && signal !== "SIGKILL") current().signal("SIGCONT");
    const code = await ending;
    state = "ended";
    return code;
  };
  return {
    name,
    service,
    ports,
    /** Of the process that runs, or ran last. */
    pid: () => current().pid,
    state: () => state,
    /** Whether it has started, runs, and was not told to stop. */
    isReady: () => hasStarted && state === "running",
    /** Everything its processes wrote, oldest first. */
    logs: () => earlier + (running?.output() ?? ""),
    /** `http://127.0.0.1:…` of a port inside the container. */
    url: (port: number) => `http://127.0.0.1:${ports.get(port) ?? 0}`,
    kill: async () => void (await end("SIGKILL")),
    pause() {
      current().signal("SIGSTOP");
      state = "paused";
    },
    continue() {
      current().signal("SIGCONT");
      state = "running";
    },
    /** Resolves with the exit code, null when a signal ended it. */
    stop: () => end("SIGTERM"),
    /** With the same command, environment and ports; resolves when it is ready. `root` is for this start. */
    async start(root = program.root) {
      if (state !== "ended") throw new Error(`${name} runs`);
      earlier += running?.output() ?? "";
      const started = startProgram(program.file, program.args, program.environment, root);
      running = started;
      hasStarted = false;
      state = "running";
      void started.exited.then(() => {
        if (running === started) state = "ended";
      });
      await started.says(program.readyText);
      if (running === started) hasStarted = true;
    },
    async [Symbol.asyncDispose]() {
      if (running && state !== "ended") await end("SIGKILL");
    },
  };
}
