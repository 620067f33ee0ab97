/** The demo account of a first start. */
import { Code, ConnectError, type ConnectRouter, type HandlerContext } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { openDemo } from "../../services/standalone/demo.ts";
import { opsEndpoints } from "../support/ops-endpoints.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const RPCS = [
  "createAccount",
  "grantProduction",
  "getAccount",
  "recordAction",
  "recharge",
  "createKey",
  "createUser",
] as const;
type Rpc = (typeof RPCS)[number];

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
      getAccount: heard("getAccount", {}),
      recordAction: heard("recordAction", {}),
    });
    router.service(BillingService, { recharge: heard("recharge", {}) });
  };
  await using services = await opsEndpoints(routes);
  await using folder = await temporaryFolder();
  const { accountId } = await openDemo(folder.path, services.env);
  return accountId;
}

it("is made however long the services take for their first calls: each has nearly a minute", async () => {
  const left: [rpc: Rpc, isLong: boolean][] = [];
  const made = await open((rpc, { timeoutMs }) => left.push([rpc, (timeoutMs() ?? 0) > 50_000]));
  expect(made).toBe("acc_demo");
  expect(new Set(left.map(([rpc]) => rpc))).toEqual(new Set(RPCS));
  expect(left.filter(([, isLong]) => !isLong)).toEqual([]);
});

it("has its user also when the service seems lost for three of its tries", async () => {
  let tries = 0;
  await open((rpc) => {
    if (rpc !== "createUser" || ++tries > 3) return;
    throw new ConnectError("silent", Code.Unavailable);
  });
  expect(tries).toBe(4);
});
