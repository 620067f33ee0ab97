/**
 * The environment of a test run: nothing of the user's but what says how to run. Tests, and what they start, find an
 * empty home, no data folder and no variable of the project, and connect to nothing that no test has opened.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How programs are found and run. */
const PROGRAMS = ["PATH", "LD_LIBRARY_PATH", "NATS_SERVER", "NODE_COMPILE_CACHE"];
const OUTPUT = ["CI", "TERM", "COLORTERM", "NO_COLOR", "FORCE_COLOR", "LANG", "LC_ALL", "TZ"];
/** What is tested with, how much, and with which random numbers. */
const CHOICES = [
  "CHROMIUM_PATH",
  "TEST_SIZE",
  "FC_SEED",
  "FC_RUNS",
  "LEDGER_SECONDS",
  "LEDGER_SEED",
];

/** What `startProcess` passes on to the processes of a test. */
export const PASSED_ON = [...PROGRAMS, "HOME", "TMPDIR", "DATA_DIR", "NODE_OPTIONS"];

type Environment = Record<string, string | undefined>;

/** What of `env` is named, for a process to be started. */
export function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** The environment of tests for a user who has `env`; `folder` has all files of theirs. */
export function ownEnvironment(env: Environment, folder: string): Record<string, string> {
  const guard = new URL("refused-connections.mjs", import.meta.url);
  return {
    ...pick(env, [...PROGRAMS, ...OUTPUT, ...CHOICES]),
    HOME: join(folder, "home"),
    TMPDIR: join(folder, "tmp"),
    DATA_DIR: join(folder, "data"),
    NODE_OPTIONS: `--import ${guard.href}`,
  };
}

const IN_MEMORY = "/dev/shm";
/** Several times what a run uses at its largest. */
const ENOUGH_BYTES = 4e9;

/**
 * A folder in memory with room for all files of a test run, or undefined. A database is 600 small files, which take a disk
 * five times the processor that they take memory; each run makes hundreds.
 */
function memoryFolder(): string | undefined {
  if (!existsSync(IN_MEMORY)) return undefined;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const options = mounts.findLast((line) => line.split(" ")[1] === IN_MEMORY)?.split(" ")[3];
  // Some tests run programs that they have installed there.
  const runsPrograms = options !== undefined && !options.split(",").includes("noexec");
  return runsPrograms && bavail * bsize >= ENOUGH_BYTES ? IN_MEMORY : undefined;
}

/** Makes it the environment of this process, and so of all that it starts. */
export function enterOwnEnvironment(): void {
  const parent = process.env["TMPDIR"] ?? memoryFolder() ?? tmpdir();
  const folder = mkdtempSync(join(parent, "media-user-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // The user of a Postgres server finds its own folder in it.
  chmodSync(folder, 0o711);
  const own = ownEnvironment(process.env, folder);
  for (const name of ["home", "tmp"]) mkdirSync(join(folder, name));
  for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
  Object.assign(process.env, own);
}
