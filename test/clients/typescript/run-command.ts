/** Runs a command of the command line within this process. */
import { runProgram } from "../../../clients/typescript/cli/program.ts";

export type Ended = { code: number; output: string };

/** `output` is what it wrote to both streams. */
export async function runToEnd(env: Record<string, string>, args: string[]): Promise<Ended> {
  let output = "";
  const stream = { write: (text: string) => (output += text) };
  const streams = { stdout: stream, stderr: stream };
  const code = await runProgram(args, env, streams, new AbortController().signal);
  return { code, output };
}
