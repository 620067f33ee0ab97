/** The demo account of a first start. */
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { generateIdentity } from "#runtime/rpc/service-token.ts";
import type { PeerUrls } from "#runtime/service/service.ts";
import { openDemo } from "../../services/standalone/demo.ts";
import { serveRpc } from "../support/rpc-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Rpc = "createAccount" | "grantProduction" | "createKey" | "createUser" | "recharge";

/** Opens the demo account with services that call `hear` before they answer. Returns its id. */
async function open(hear: (rpc: Rpc, context: HandlerContext) => void): Promise<string> {
  const heard =
    <T>(rpc: Rpc, answer: T) =>
    (_request: unknown, context: HandlerContext) => {
      hear(rpc, context);
      return answer;
    };
  const routes = (router: ConnectRouter) => {
    router.service(AccountService, {
      createAccount: heard("createAccount", { account: { id: "acc_demo" } }),
      grantProduction: heard("grantProduction", {}),
      createKey: heard("createKey", { secret: "a key" }),
      createUser: heard("createUser", {}),
      recordAction: () => ({}),
    });
    router.service(BillingService, { recharge: heard("recharge", {}) });
  };
  await using server = await serveRpc(routes);
  await using folder = await temporaryFolder();
  const urls: PeerUrls = [server.url];
  const all = { gateway: urls, billing: urls, generation: urls, delivery: urls };
  const { privateKey } = await generateIdentity("ops");
  const { accountId } = await openDemo(folder.path, all, privateKey);
  return accountId;
}

it("is made however long the services take for their first calls: each has nearly a minute", async () => {
  const left: [rpc: Rpc, isLong: boolean][] = [];
  const made = await open((rpc, { timeoutMs }) => left.push([rpc, (timeoutMs() ?? 0) > 50_000]));
  expect(made).toBe("acc_demo");
  const called = ["createAccount", "grantProduction", "recharge", "createKey", "createUser"];
  expect([...new Set(left.map(([rpc]) => rpc))]).toEqual(expect.arrayContaining(called));
  expect(left.filter(([, isLong]) => !isLong)).toEqual([]);
});

it.each([1, 3])(
  "has its user also when the service seems lost for %d of its tries",
  async (lost) => {
    const calls: Rpc[] = [];
    await open((rpc) => {
      calls.push(rpc);
      const isLost = calls.filter((call) => call === "createUser").length <= lost;
      if (rpc === "createUser" && isLost) throw new ConnectError("silent", Code.Unavailable);
    });
    expect(calls.filter((call) => call === "createUser")).toHaveLength(lost + 1);
  },
);
