/** One run of the command line: typed clients of the services, and printing what they answer. */
import { createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { systemClock } from "#runtime/clock.ts";
import type { Env } from "#runtime/env.ts";
import { overHttp, tokenInterceptor } from "#runtime/rpc/client.ts";
import { ownToken } from "#runtime/rpc/service-token.ts";
import type { ServiceName } from "#runtime/service.ts";
import { readConfig } from "./config.ts";
import type { OpsConfig } from "./config.ts";
import { asCsv, asLines, asTable } from "./print.ts";
import type { Answer } from "./print.ts";

export type Session = {
  config: OpsConfig;
  client: <T extends DescService>(name: ServiceName, service: T) => Client<T>;
};

export type Format = { json?: boolean; csv?: boolean };

/** Runs a command that has one answer. */
export async function run(
  json: boolean | undefined,
  command: (session: Session) => Promise<Answer>,
): Promise<void> {
  const answer = await inSession(command);
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : asLines(answer));
}

/** Runs a command that has many answers, all with the same fields. */
export async function runList(
  format: Format,
  columns: readonly string[],
  command: (session: Session) => Promise<Answer[]>,
): Promise<Answer[]> {
  const rows = await inSession(command);
  if (format.json) process.stdout.write(`${JSON.stringify(rows)}\n`);
  else process.stdout.write(format.csv ? asCsv(columns, rows) : asTable(columns, rows));
  return rows;
}

async function inSession<T>(command: (session: Session) => Promise<T>): Promise<T> {
  using session = openSession(process.env);
  return await command(session);
}

/** The operator's typed clients, as `env` says where the service is; their connections end with it. */
export function openSession(env: Env): Session & Disposable {
  const stack = new DisposableStack();
  const config = readConfig(env);
  const interceptors = [tokenInterceptor(ownToken(config.key, systemClock))];
  return {
    config,
    client: (name, service) => {
      const transport = stack.use(overHttp(config.urls[name])).connect(interceptors);
      return createClient(service, transport);
    },
    [Symbol.dispose]: () => stack.dispose(),
  };
}
