/** Runs a command of the command line within this process, for a customer of the whole service. */
import type { Readable } from "node:stream";
import { runProgram } from "../../../clients/typescript/cli/program.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { sharedService } from "../../support/shared-service.ts";

export type Environment = Record<string, string>;

export type Ended = { code: number; output: string };

/** `output` is what it wrote to both streams. */
export async function runToEnd(env: Environment, args: string[], stdin?: Readable): Promise<Ended> {
  let output = "";
  const stream = { write: (text: string) => (output += text) };
  const streams = { stdout: stream, stderr: stream, ...(stdin && { stdin }) };
  const code = await runProgram(args, env, streams, new AbortController().signal);
  return { code, output };
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
