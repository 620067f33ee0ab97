/** One run of the command line: typed clients of the services, which call as the operator. */
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
} from "@connectrpc/connect";
import type { DescService } from "@bufbuild/protobuf";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import type { Env } from "#runtime/env.ts";
import { overHttp } from "#runtime/rpc/client/client.ts";
import { tokenInterceptor } from "#runtime/rpc/service-token.ts";
import { accountInterceptor, auditInterceptor } from "./audit.ts";
import { readConfig } from "./config.ts";

/** The RPCs that commands call, by the name of their client, and the service that has them. */
export const RPCS = {
  accounts: [AccountService, "gateway"],
  billing: [BillingService, "billing"],
  delivery: [DeliveryService, "delivery"],
  generation: [GenerationService, "generation"],
} as const;

export type Session = { [Name in keyof typeof RPCS]: Client<(typeof RPCS)[Name][0]> };

export async function inSession<T>(command: (session: Session) => Promise<T>): Promise<T> {
  using session = openSession(process.env);
  return await command(session);
}

/** Says which service does not answer or does not know the operator's key, and what to look at. */
const namedFaults =
  (service: string): Interceptor =>
  (next) =>
  async (request) => {
    try {
      return await next(request);
    } catch (error) {
      const { code, rawMessage, cause } = ConnectError.from(error);
      const said = {
        [Code.Unavailable]: `${service}: ${rawMessage}; see "ops status"`,
        [Code.DeadlineExceeded]: `${service}: ${rawMessage}; what was asked for may be done: look, then try again`,
        [Code.Unauthenticated]: `${service} does not trust this key: is OPS_KEY_FILE the right one, and in its trusted.json?`,
      }[code as number];
      throw said ? new ConnectError(said, code, undefined, undefined, cause) : error;
    }
  };

/** Typed clients that call as the operator, for `patienceMs` instead of the usual time. Disposal closes their connections. */
export function openSession(env: Env, patienceMs?: number): Session & Disposable {
  const stack = new DisposableStack();
  const config = readConfig(env);
  const accounts = () => session.accounts;
  const checks = [accountInterceptor(accounts), auditInterceptor(accounts)];
  const clients = Object.entries(RPCS).map(([client, [service, name]]) => {
    const token = tokenInterceptor(config.key, name, systemClock);
    const interceptors = [...checks, namedFaults(name), token];
    const http = stack.use(overHttp(config.urls[name], interceptors, config.tls));
    const unary: Transport["unary"] = (method, signal, timeoutMs = patienceMs, ...rest) =>
      http.unary(method, signal, timeoutMs, ...rest);
    return [client, createClient<DescService>(service, { ...http, unary })];
  });
  const session = Object.fromEntries(clients) as Session;
  return { ...session, [Symbol.dispose]: () => stack.dispose() };
}
