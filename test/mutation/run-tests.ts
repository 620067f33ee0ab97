/** Runs test files of a tree and tells tests that failed from tests that could not run. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onAbort } from "#runtime/abort.ts";

export type TestOutcome =
  | { kind: "passed" }
  /** At least one test ran and failed; `test` is the first of them. */
  | { kind: "failed"; test: string }
  /** A file, a hook or the set-up failed, or no test was selected: this says nothing about a guard. */
  | { kind: "broken"; reason: string };

/** What vitest's JSON reporter writes, as far as it is read here. */
type Report = {
  testResults: {
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
  }[];
};

/** The slowest file takes a fifth of it. */
const TIME_LIMIT_MS = 5 * 60_000;

/** An edit that misspells a name or breaks the syntax fails tests too, but not because a guard is missing. */
const BROKEN_CODE = /^(ReferenceError|SyntaxError)\b/;

/** `name` selects the tests whose full name contains it. */
export async function runTests(
  tree: string,
  files: readonly string[],
  { name, signal }: { name?: string | undefined; signal: AbortSignal },
): Promise<TestOutcome> {
  const reportFile = join(tree, "mutation-report.json");
  await rm(reportFile, { force: true });
  const output = `--outputFile=${reportFile}`;
  const args = ["node_modules/vitest/vitest.mjs", "run", "--bail=1", "--reporter=json", output];
  if (name !== undefined) args.push(`--testNamePattern=${escaped(name)}`);
  const child = spawn(process.execPath, [...args, ...files], {
    cwd: tree,
    env: { ...process.env, LEDGER_SECONDS: "5", NO_COLOR: "1" },
    stdio: ["ignore", "ignore", "pipe"],
    // A group of its own: a worker in an endless loop ends by SIGKILL only.
    detached: true,
  });
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  using _stop = onAbort(signal, () => void child.kill("SIGTERM"));
  using _kill = onAbort(limit, () => process.kill(-(child.pid ?? 0), "SIGKILL"));
  const [errors] = await Promise.all([text(child.stderr), once(child, "close")]);
  signal.throwIfAborted();
  if (limit.aborted)
    return { kind: "broken", reason: `did not end in ${TIME_LIMIT_MS / 60_000} minutes` };
  return outcomeOf(await readFile(reportFile, "utf8").catch(() => undefined), errors);
}

function outcomeOf(written: string | undefined, errors: string): TestOutcome {
  const testResults = written === undefined ? [] : (JSON.parse(written) as Report).testResults;
  // The set-up of all tests failed: for example, the database refused a migration.
  if (testResults.length === 0)
    return { kind: "broken", reason: `no test ran: ${errorLine(errors)}` };
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed");
  const genuine = failed.find(({ failureMessages }) => !failureMessages.some(isBrokenCode));
  if (genuine) return { kind: "failed", test: genuine.fullName };
  if (failed[0]) return { kind: "broken", reason: firstLine(failed[0].failureMessages[0]) };
  const suite = testResults.find(({ status }) => status === "failed");
  if (suite) return { kind: "broken", reason: firstLine(suite.message) };
  if (!tests.some(({ status }) => status === "passed")) {
    return { kind: "broken", reason: "no such test: update the table" };
  }
  return { kind: "passed" };
}

/** Vitest takes the name as a regular expression. */
const escaped = (name: string): string => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");

const isBrokenCode = (message: string): boolean => BROKEN_CODE.test(message);

const firstLine = (message = ""): string => message.trim().split("\n", 1)[0] ?? "";

const errorLine = (output: string): string =>
  output.split("\n").find((line) => /Error: /.test(line)) ?? firstLine(output);
