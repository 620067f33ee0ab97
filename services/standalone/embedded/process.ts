/** Runs a server as a child process: its user, its capabilities, its output, and its end, at the latest with this process. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { systemClock, within } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { commandLine } from "../data-folder/data-folder.ts";
import { StartError } from "../settings/start-error.ts";

export type User = { uid: number; gid: number };

export type Program = {
  file: string;
  args: readonly string[];
  /** The signal that the program gets when this process dies, on systems with setpriv. */
  deathSignal: "QUIT" | "KILL";
  /** The user to run as, if another; only root can do that. */
  user?: User | undefined;
  /** Folders and files that the user must have access to. */
  needs?: readonly string[];
};

/** The arguments of spawn(). Throws StartError when the user cannot be given access to what it needs. */
export function planLaunch(program: Program) {
  const { file, args, user } = program;
  const hidden = user && [file, ...(program.needs ?? [])].find((path) => !hasAccess(path, user));
  const tried = spawnSync("setpriv", ["--pdeathsig", "KILL", "true"], { stdio: "ignore" });
  if (tried.status !== 0) {
    if (hidden !== undefined) throw noAccess(hidden, "setpriv (util-linux) is not installed");
    return { file, args: [...args], options: { ...user } };
  }
  const rights = user ? asUser(user, hidden) : [];
  const wrapped = ["--pdeathsig", program.deathSignal, ...rights, "--", file, ...args];
  // Out of our process group: Ctrl-C then reaches only this process, which stops the server last.
  return { file: "setpriv", args: wrapped, options: { detached: true } };
}

function asUser({ uid, gid }: User, hidden: string | undefined): string[] {
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"];
  if (hidden === undefined) return [...drop, "--inh-caps=-all"];
  const status = readFileSync("/proc/self/status", "utf8");
  const held = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0"}`);
  // The weaker capability first: read access is enough. Containers often have only the other.
  const [capability] = ACCESS.find(([, bit]) => held & bit) ?? [];
  if (!capability) throw noAccess(hidden, "root has no capability to grant access here");
  // Without this, access(2) ignores the capability: initdb asks it whether it finds the server beside itself.
  const asked = held & SETPCAP ? ["--securebits=+no_setuid_fixup"] : [];
  return [
    ...asked,
    ...drop,
    `--inh-caps=-all,+${capability}`,
    `--ambient-caps=-all,+${capability}`,
  ];
}

function noAccess(path: string, why: string): StartError {
  return new StartError(
    `As root, PostgreSQL runs as another user, which has no access to ${path}, and ${why}: ` +
      `start as an ordinary user, or use a checkout and a DATA_DIR that other users may enter.`,
  );
}

/** Capabilities by their bits in Linux. */
const ACCESS = [
  ["dac_read_search", 1n << 2n],
  ["dac_override", 1n << 1n],
] as const;
const SETPCAP = 1n << 8n;

function hasAccess(path: string, user: User): boolean {
  if (path === dirname(path)) return true;
  const parent = dirname(path);
  const { mode, uid, gid } = statSync(parent);
  const enter = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  return (mode & enter) !== 0 && hasAccess(parent, user);
}

const MAX_KEPT_LINES = 30;
const KILL_AFTER_MS = 10_000;

export type Child = ReturnType<typeof startChild>;

type Exit = { code: number | null; signal: NodeJS.Signals | null };

/** Starts a process and logs its output at level debug. `readyLine`: by which it says that it is ready. */
export function startChild(
  name: string,
  { file, args, options }: ReturnType<typeof planLaunch>,
  log: Log,
  readyLine?: RegExp,
) {
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", TZ: "UTC" },
    ...options,
  });
  const kept: string[] = [];
  const ready = Promise.withResolvers<"ready">();
  const onLine = (line: string) => {
    kept.push(line);
    if (kept.length > MAX_KEPT_LINES) kept.shift();
    log.debug({ part: name }, line);
    if (readyLine?.test(line)) ready.resolve("ready");
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", onLine);
  }
  const ended = new Promise<Exit>((resolve) => {
    child.once("error", (error) => {
      onLine(`FATAL: ${error.message}`);
      if (child.pid === undefined) resolve({ code: null, signal: null });
    });
    child.once("close", (code, signal) => resolve({ code, signal }));
  });
  return {
    ready: ready.promise,
    /** Resolves when the process has ended; with neither code nor signal when it never started. */
    ended,
    /** The last lines of output, oldest first. */
    lines: (): readonly string[] => kept,
    /** Sends `signal`, and SIGKILL when that takes too long; resolves when the process has ended. */
    async stop(signal: NodeJS.Signals): Promise<void> {
      child.kill(signal);
      const timer = setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The line of the output that says why the program failed. */
export function reason(child: Child): string {
  const lines = child.lines();
  const isError = (line: string) => /^(FATAL|PANIC|.*error):|\[FTL\]/i.test(line);
  return (lines.findLast(isError) ?? lines.at(-1))?.trim() ?? "it wrote no output.";
}

const READY_TIMEOUT_MS = 120_000;
const LOCKED_RETRY_MS = 250;
const MAX_LOCKED_TRIES = 60;
/** After a crash, processes of the old PostgreSQL hold its folder for some seconds. */
const STILL_LOCKED = /pre-existing shared memory block|lock file "[^"]*" (already exists|is empty)/;

/** `directory` is for the server's data and its password; the caller holds the data folder's lock. */
export type ServerOptions = { directory: string; port: number; log: Log };

export type ServerProgram = Program & {
  name: "PostgreSQL" | "NATS";
  port: number;
  /** The line by which it says that it accepts connections. */
  ready: RegExp;
  stopSignal: NodeJS.Signals;
};

/** Resolves when the server accepts connections; throws StartError with the reason otherwise. */
export async function startServer(server: ServerProgram, log: Log): Promise<AsyncDisposable> {
  const { name, port, ready, stopSignal } = server;
  const launch = planLaunch(server);
  for (let tries = 1; ; tries++) {
    const child = startChild(name, launch, log, ready);
    const readyOrEnded = Promise.race([child.ready, child.ended]);
    if ((await within(systemClock, READY_TIMEOUT_MS, readyOrEnded)) === "ready") {
      let isStopped = false;
      void child.ended.then((exit) => {
        if (!isStopped) log.error({ part: name, ...exit }, "embedded server exited unexpectedly");
      });
      const stop = () => {
        isStopped = true;
        return child.stop(stopSignal);
      };
      return { [Symbol.asyncDispose]: stop };
    }
    await child.stop(stopSignal);
    const output = child.lines().join("\n");
    if (/address already in use/i.test(output))
      throw new StartError(`${name} cannot listen: port ${port} of 127.0.0.1 is taken.`);
    if (!STILL_LOCKED.test(output) || tries === MAX_LOCKED_TRIES)
      throw new StartError(`${name} did not start: ${reason(child)}`);
    await systemClock.sleep(LOCKED_RETRY_MS);
  }
}

/**
 * The id in a stale pid file may by now belong to an unrelated process, which PostgreSQL would take for a running
 * server. PostgreSQL never takes its own parent for one, so this writes our id into the file. The rest of the file
 * stays, because PostgreSQL uses it to find processes of the old server. `mark` is in the command line of a server.
 */
export async function disownPidFile(pidFile: string, mark: string): Promise<void> {
  const text = await readFile(pidFile, "utf8").catch(() => "");
  const [pid = "", ...rest] = text.split("\n");
  if (commandLine(Number.parseInt(pid, 10)).includes(mark)) return;
  if (pid !== "") await writeFile(pidFile, [process.pid, ...rest].join("\n"));
}
