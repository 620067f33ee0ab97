/** One run of the command line: typed clients of the services, and how answers are printed. */
import { createClient } from "@connectrpc/connect";
import type { Client } from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { systemClock } from "#runtime/clock.ts";
import { overHttp, tokenInterceptor } from "#runtime/rpc-client.ts";
import { ownToken } from "#runtime/service-token.ts";
import type { ServiceName } from "#runtime/service.ts";
import { readConfig } from "./config.ts";
import type { OpsConfig } from "./config.ts";

export type Answer = Readonly<Record<string, string | number | boolean | null>>;

export type Session = {
  config: OpsConfig;
  client: <T extends DescService>(name: ServiceName, service: T) => Client<T>;
};

/** Runs one command against the running service and prints what it answers. */
export async function run(
  json: boolean | undefined,
  command: (session: Session) => Promise<Answer>,
): Promise<void> {
  using stack = new DisposableStack();
  const config = readConfig(process.env);
  const interceptors = [tokenInterceptor(ownToken(config.key, systemClock))];
  const answer = await command({
    config,
    client: (name, service) => {
      const transport = stack.use(overHttp(config.urls[name])).connect(interceptors);
      return createClient(service, transport);
    },
  });
  process.stdout.write(json ? `${JSON.stringify(answer)}\n` : asTable(answer));
}

function asTable(answer: Answer): string {
  const width = Math.max(...Object.keys(answer).map((key) => key.length));
  return Object.entries(answer)
    .map(([key, value]) => `${key.replaceAll("_", " ").padEnd(width)}  ${value ?? "-"}\n`)
    .join("");
}
