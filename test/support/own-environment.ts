/**
 * The environment of a test run: nothing of the user's but what says how to run. Tests, and what they start, find an
 * empty home, no data folder and no variable of the project, and connect to nothing that no test has opened.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryFolder } from "./memory-folder.ts";

/** How programs are found and run. */
const PROGRAMS = ["PATH", "LD_LIBRARY_PATH", "TMPDIR", "NATS_SERVER", "NODE_COMPILE_CACHE"];
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
export const PASSED_ON = [...PROGRAMS, "HOME", "DATA_DIR", "NODE_OPTIONS"];

type Environment = Record<string, string | undefined>;

/** What of `env` is named, for a process to be started. */
export function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** The environment of tests for a user who has `env`; `folder` has their home and, once one is made, their data folder. */
export function ownEnvironment(env: Environment, folder: string): Record<string, string> {
  const guard = new URL("refused-connections.mjs", import.meta.url);
  return {
    ...pick(env, [...PROGRAMS, ...OUTPUT, ...CHOICES]),
    HOME: join(folder, "home"),
    DATA_DIR: join(folder, "data"),
    NODE_OPTIONS: `--import ${guard.href}`,
  };
}

/** Makes it the environment of this process, and so of all that it starts. Temporary files are in memory, if they can be. */
export function enterOwnEnvironment(): void {
  const inMemory = memoryFolder();
  if (inMemory !== undefined) process.env["TMPDIR"] ??= inMemory;
  const folder = mkdtempSync(join(tmpdir(), "media-user-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const own = ownEnvironment(process.env, folder);
  mkdirSync(join(folder, "home"));
  for (const name of Object.keys(process.env)) if (!(name in own)) delete process.env[name];
  Object.assign(process.env, own);
}
