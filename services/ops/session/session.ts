/** One run of the command line: opens typed clients of the services and prints the result. */
import { type Client, createClient, type Interceptor } from "@connectrpc/connect";
import { type DescService, getOption } from "@bufbuild/protobuf";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Env } from "#runtime/env.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import { tokenInterceptor } from "#runtime/rpc/service-token.ts";
import type { ServiceName } from "#runtime/service/service.ts";
import { auditInterceptor } from "./audit.ts";
import { readConfig } from "./config.ts";
import { asCsv, asLines, asTable, type OutputRow } from "./print.ts";
import { audit_action } from "#gen/proto/media/runtime/v1/access_pb.ts";

export type Session = {
  accounts: Client<typeof AccountService>;
  billing: Client<typeof BillingService>;
  delivery: Client<typeof DeliveryService>;
  generation: Client<typeof GenerationService>;
};

export type Format = { json?: boolean; csv?: boolean };

export function print(json: boolean | undefined, row: OutputRow): void {
  process.stdout.write(json ? `${JSON.stringify(row)}\n` : asLines(row));
}

/** Says on standard error that there are no rows, so that the output is only what was found. */
export function printList(
  format: Format,
  columns: readonly string[],
  rows: OutputRow[],
  none = "Nothing was found.",
): void {
  if (format.json) {
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  process.stdout.write(format.csv ? asCsv(columns, rows) : asTable(columns, rows));
  if (rows.length === 0) process.stderr.write(`${none}\n`);
}

export async function inSession<T>(command: (session: Session) => Promise<T>): Promise<T> {
  using session = openSession(process.env);
  return await command(session);
}

/** Typed clients that call as the operator. Disposal closes their connections. */
export function openSession(env: Env): Session & Disposable {
  const stack = new DisposableStack();
  const config = readConfig(env);
  const clientOf = <T extends DescService>(
    service: T,
    name: ServiceName,
    ...before: Interceptor[]
  ): Client<T> => {
    const interceptors = [...before, tokenInterceptor(config.key, name, systemClock)];
    const transport = stack.use(overHttp(config.urls[name], interceptors, config.tls));
    return createClient(service, transport);
  };
  // The gateway knows the accounts itself.
  const accounts = clientOf(AccountService, "gateway");
  const before = [knownAccountInterceptor(() => accounts), auditInterceptor(() => accounts)];
  return {
    accounts,
    billing: clientOf(BillingService, "billing", ...before),
    delivery: clientOf(DeliveryService, "delivery", ...before),
    generation: clientOf(GenerationService, "generation", ...before),
    [Symbol.dispose]: () => stack.dispose(),
  };
}

/**
 * Looks up the account that a call names, because other services do not know which accounts there are.
 * A call for an account that does not exist is not made: it would show an empty account, and make its balance or secret.
 * Calls with an `audit_action` are looked up where they are recorded.
 */
export function knownAccountInterceptor(
  accounts: () => Pick<Client<typeof AccountService>, "getAccount">,
): Interceptor {
  const known = new Set<string>();
  return (next) => async (request) => {
    if (request.stream || getOption(request.method, audit_action) !== "") return next(request);
    const { accountId } = request.message as { accountId?: string };
    if (accountId && !known.has(accountId)) {
      await accounts().getAccount({ accountId });
      known.add(accountId);
    }
    return next(request);
  };
}
