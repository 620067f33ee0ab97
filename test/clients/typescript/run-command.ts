/** Runs a command of the command line within this process, for a customer of the whole service. */
import type { Readable } from "node:stream";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";

export type Environment = Record<string, string>;

type Options = { stdin?: Readable; signal?: AbortSignal; onError?: (text: string) => void };

/** `output` is what it wrote to both streams. */
export async function runToEnd(
  env: Environment,
  args: string[],
  { stdin, signal = new AbortController().signal, onError }: Options = {},
) {
  const all: Buffer[] = [];
  const stdout: Buffer[] = [];
  let stderr = "";
  const code = await runProgram(
    args,
    env,
    {
      stdout: {
        write: (text: string | Uint8Array) => {
          for (const kept of [all, stdout]) kept.push(Buffer.from(text));
        },
      },
      stderr: {
        write: (text: string | Uint8Array) => {
          all.push(Buffer.from(text));
          stderr += text;
          onError?.(String(text));
        },
      },
      ...(stdin && { stdin }),
    },
    signal,
  );
  return { code, output: String(Buffer.concat(all)), stdout: Buffer.concat(stdout), stderr };
}

/** A new customer with 1,000 live Tokens: the environment with the key of each mode, and the client of test mode. */
export async function customerOfCommands() {
  const service = await sharedService();
  const customer = await newCustomer(service, 1_000);
  const base = { MEDIA_BASE_URL: `${service.url}/v1` };
  const testKey = await customer.key("test");
  const env: Environment = { ...base, MEDIA_API_KEY: await customer.key("live") };
  const testEnv: Environment = { ...base, MEDIA_API_KEY: testKey };
  return { service, env, testEnv, test: clientOf(service.url, testKey) };
}
