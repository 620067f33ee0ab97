/** The operator of a running service: the command line, run in this process, or its clients. */
import { AsyncLocalStorage } from "node:async_hooks";
import { runToExitCode } from "../../services/ops/program.ts";
import { openSession } from "../../services/ops/session/session.ts";

export type Operator = ReturnType<typeof operatorOf>;

/** `env` is the command line's environment. */
export function operatorOf(env: Record<string, string>) {
  return {
    /** Runs an ops command and answers with what it printed, parsed. */
    ops: async <T>(...args: string[]) => {
      const { code, output } = await runOpsHere(env, [...args, "--json"]);
      if (code !== 0) throw new Error(`ops ${args.join(" ")}: ${output}`);
      // Notes, which a terminal gets by stderr, come before it.
      return JSON.parse(output.slice(output.search(/^[[{]/m))) as T;
    },
    /** Clients with the operator's rights, for set-up that need not go through the command line. */
    operator: () => openSession(env),
  };
}

const printed = new AsyncLocalStorage<string[]>();
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (text: string, ...rest: unknown[]) => boolean;
  stream.write = (text: string, ...rest: unknown[]) => {
    const lines = printed.getStore();
    return lines ? lines.push(text) > 0 : write(text, ...rest);
  };
}

let before: Promise<unknown> = Promise.resolve();

/**
 * What `services/ops/main.ts` does, without the second that a process takes to start. One at a time: it reads
 * `process.env`.
 */
export function runOpsHere(
  env: Record<string, string>,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  const run = before.then(async () => {
    const kept = { env: { ...process.env }, exitCode: process.exitCode };
    Object.assign(process.env, env);
    process.exitCode = 0;
    const lines: string[] = [];
    await printed.run(lines, () => runToExitCode(args, env));
    const code = process.exitCode;
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, kept.env);
    process.exitCode = kept.exitCode;
    return { code, output: lines.join("") };
  });
  before = run.catch(() => {});
  return run;
}
