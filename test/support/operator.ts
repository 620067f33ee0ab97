/** The operator of a running service: the command line as a process, or its clients. */
import { openSession, type Session } from "../../services/ops/session/session.ts";
import { runToEnd } from "./process.ts";

export type Operator = {
  /** Runs an ops command and answers with what it printed, parsed. */
  ops: <T>(...args: string[]) => Promise<T>;
  /** Clients with the operator's rights, for set-up that need not go through the command line. */
  operator: () => Session & Disposable;
};

/** `env` is the command line's environment. */
export function operatorOf(env: Record<string, string>): Operator {
  return {
    ops: async <T>(...args: string[]) => {
      const { code, output } = await runToEnd("services/ops/main.ts", env, [...args, "--json"]);
      if (code !== 0) throw new Error(`ops ${args.join(" ")}: ${output}`);
      return JSON.parse(output) as T;
    },
    operator: () => openSession(env),
  };
}
