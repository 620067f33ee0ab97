/** Commands for an account that does not exist end before they ask a service that does not know which accounts there are. */
import { getOption } from "@bufbuild/protobuf";
import { createClient, createRouterTransport, type Interceptor } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { audit_action, callers } from "#gen/proto/media/runtime/v1/access_pb.ts";
import { accountNotFound } from "../../../services/gateway/rpc/accounts.ts";
import { knownAccountInterceptor } from "../../../services/ops/session/session.ts";
import { newAccountId } from "../../support/account.ts";
import { runOpsHere } from "../../support/operator.ts";
import { opsEndpoints } from "../../support/ops-endpoints.ts";

const ASKED = [BillingService, DeliveryService, GenerationService];

/** One that calls an RPC by a row of the table, and those that have code. */
const COMMANDS = [
  "balance --mode test",
  "statement --mode test --month 2026-11",
  "audit --mode test",
];

it.each(COMMANDS)(
  "refuses %s of an account that does not exist, and asks no service",
  async (it) => {
    const asked: string[] = [];
    const record: Interceptor = (next) => (request) => {
      asked.push(request.method.name);
      return next(request);
    };
    await using services = await opsEndpoints(
      (router) => {
        router.service(AccountService, {
          getAccount: ({ accountId }) => {
            throw accountNotFound(accountId);
          },
        });
        for (const service of ASKED) router.service(service, {});
      },
      { interceptors: [record] },
    );
    const accountId = newAccountId();
    const { output } = await runOpsHere(services.env, [...it.split(" "), "--account", accountId]);
    expect(output).toBe(`ops: there is no account "${accountId}"\n`);
    expect(asked).toEqual(["GetAccount"]);
  },
);

it("looks up the account of every call that is not recorded, once", async () => {
  const lookedUp: string[] = [];
  const accounts = createClient(
    AccountService,
    createRouterTransport((router) =>
      router.service(AccountService, {
        getAccount: ({ accountId }) => {
          lookedUp.push(accountId);
          return {};
        },
      }),
    ),
  );
  const methods = ASKED.flatMap((service) => service.methods).filter(
    (method) =>
      getOption(method, callers).includes("ops") &&
      getOption(method, audit_action) === "" &&
      method.input.fields.some(({ name }) => name === "account_id"),
  );
  expect(methods.length).toBeGreaterThan(10);
  const transport = createRouterTransport(
    (router) => {
      for (const service of ASKED) router.service(service, {});
    },
    { transport: { interceptors: [knownAccountInterceptor(() => accounts)] } },
  );
  for (const method of methods) {
    const accountId = newAccountId();
    const call = () =>
      transport.unary(method as never, undefined, undefined, undefined, {
        accountId,
        mode: Mode.TEST,
      } as never);
    for (let time = 0; time < 2; time++) await expect(call()).rejects.toThrow(/implemented/);
    expect(lookedUp.splice(0)).toEqual([accountId]);
  }
});
