/** What a caller learns of a call that failed on the service's side. */
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { loadLimits } from "#runtime/load-limit.ts";
import { createLog } from "#runtime/log.ts";
import { DatabaseUnavailable } from "#runtime/postgres/limits.ts";
import { serverInterceptor } from "#runtime/rpc/server/interceptors.ts";

const postgresError = (code: string) =>
  Object.assign(new Error("secret"), { name: "PostgresError", code });

it.each([
  ["unavailable", "a lost connection to Postgres", new DatabaseUnavailable("secret")],
  ["unavailable", "a Postgres that shuts down", postgresError("57P01")],
  ["unavailable", "a statement that took too long", postgresError("57014")],
  ["unavailable", "too many connections", postgresError("53300")],
  ["internal", "a broken constraint", postgresError("23505")],
  ["internal", "any other error", new Error("secret")],
] as const)("is %s, and nothing of the cause, after %s", async (code, _case, thrown) => {
  const limits = loadLimits({ clock: systemClock, metrics: new Registry() });
  const throwing = () => {
    throw thrown;
  };
  const transport = createRouterTransport(
    (router) => router.service(BillingService, { getBalance: throwing }),
    { router: { interceptors: [serverInterceptor({ limits, log: createLog("test", "silent") })] } },
  );
  const client = createClient(BillingService, transport);
  const balance = { accountId: `acct_${"0".repeat(26)}`, mode: Mode.LIVE };
  const error = ConnectError.from(
    await client.getBalance(balance).catch((fault: unknown) => fault),
  );
  expect(Code[error.code].toLowerCase()).toBe(code);
  expect(error.message).not.toContain("secret");
});
