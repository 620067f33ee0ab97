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
      const { code, stdout, stderr } = await runOpsHere(env, [...args, "--json"]);
      if (code !== 0) throw new Error(`ops ${args.join(" ")}: ${stdout}${stderr}`);
      return JSON.parse(stdout) as T;
    },
    /** Clients with the operator's rights, for set-up that need not go through the command line. */
    operator: () => openSession(env),
  };
}

type Printed = { stdout: string; stderr: string };

const printing = new AsyncLocalStorage<Printed>();
for (const name of ["stdout", "stderr"] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream) as (text: string, ...rest: unknown[]) => boolean;
  stream.write = (text: string, ...rest: unknown[]) => {
    const printed = printing.getStore();
    if (!printed) return write(text, ...rest);
    printed[name] += text;
    return true;
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
): Promise<Printed & { code: number }> {
  const run = before.then(async () => {
    const kept = { env: { ...process.env }, exitCode: process.exitCode };
    Object.assign(process.env, env);
    process.exitCode = 0;
    const printed = { stdout: "", stderr: "" };
    await printing.run(printed, () => runToExitCode(args, env));
    const code = process.exitCode;
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, kept.env);
    process.exitCode = kept.exitCode;
    return { code, ...printed };
  });
  before = run.catch(() => {});
  return run;
}
