/** The command line, run within the process of the tests. */
import type { Readable } from "node:stream";
import { runProgram } from "../../../clients/typescript/cli/program.ts";

export type Environment = Record<string, string>;

/** Begins a command, which its disposal stops as Ctrl-C does. `output` is what it wrote to both streams. */
export function beginCommand(env: Environment, args: string[], stdin?: Readable) {
  const stop = new AbortController();
  const written = { output: [] as Buffer[], stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const streamTo = (name: "stdout" | "stderr") => ({
    write: (text: string | Uint8Array) => {
      for (const kept of [written.output, written[name]]) kept.push(Buffer.from(text));
    },
  });
  const streams = {
    stdout: streamTo("stdout"),
    stderr: streamTo("stderr"),
    ...(stdin && { stdin }),
  };
  const code = runProgram(args, env, streams, stop.signal);
  const textOf = (name: keyof typeof written) => String(Buffer.concat(written[name]));
  return {
    output: () => textOf("output"),
    ended: code.then((code) => ({
      code,
      output: textOf("output"),
      stdout: Buffer.concat(written.stdout),
      stderr: textOf("stderr"),
    })),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await code;
    },
  };
}
