/** The demo account of a first start. */
import type { HandlerContext } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { generateIdentity } from "#runtime/rpc/service-identity.ts";
import { openDemo } from "../../services/standalone/demo.ts";
import { serveRpc } from "../support/rpc-server.ts";
import { temporaryFolder } from "../support/whole-service.ts";

it("is made however long the services take for their first calls: each has nearly a minute", async () => {
  const left: [rpc: string, isLong: boolean][] = [];
  const noted =
    <T>(rpc: string, answer: T) =>
    (_request: unknown, { timeoutMs }: HandlerContext) => {
      left.push([rpc, (timeoutMs() ?? 0) > 50_000]);
      return answer;
    };
  await using server = await serveRpc((router) => {
    router.service(AccountService, {
      createAccount: noted("createAccount", { account: { id: "acc_demo" } }),
      grantProduction: noted("grantProduction", {}),
      createKey: noted("createKey", { secret: "a key" }),
      createUser: noted("createUser", {}),
      recordAction: noted("recordAction", {}),
    });
    router.service(BillingService, { recharge: noted("recharge", {}) });
  });
  await using folder = await temporaryFolder();
  const { url } = server;
  const urls = { gateway: url, billing: url, generation: url, delivery: url };
  const { privateKey } = await generateIdentity("ops");
  expect(await openDemo(folder.path, urls, privateKey)).toMatchObject({ accountId: "acc_demo" });
  const made = ["createAccount", "grantProduction", "recharge", "createKey", "createUser"];
  expect([...new Set(left.map(([rpc]) => rpc))]).toEqual(expect.arrayContaining(made));
  expect(left.filter(([, isLong]) => !isLong)).toEqual([]);
});
