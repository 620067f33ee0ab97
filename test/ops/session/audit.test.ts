/** What operators do is recorded in the audit log before it is done, and their commands are for accounts that exist. */
import { getOption, type DescMethod } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createClient,
  createRouterTransport,
  type Interceptor,
  type ServiceImpl,
} from "@connectrpc/connect";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { audit_action, callers } from "#gen/proto/media/runtime/v1/access_pb.ts";
import { readDocument } from "../../../services/gateway/edge/http/contract.ts";
import { accountNotFound } from "../../../services/gateway/rpc/accounts.ts";
import { accountInterceptor, auditInterceptor } from "../../../services/ops/session/audit.ts";
import { newAccountId } from "../../support/account.ts";
import { first, OF, ops } from "../commands/run-command.ts";

const ASKED = [BillingService, DeliveryService, GenerationService];
/** Their RPCs that operators call. */
const CALLED = ASKED.flatMap((service) => service.methods).filter((method) =>
  getOption(method, callers).includes("ops"),
);

const accountId = "acct_2zjrwfavgwd8tj2ht7shw0cw42";

const accountsThat = (rpcs: Partial<ServiceImpl<typeof AccountService>>) =>
  createClient(
    AccountService,
    createRouterTransport((router) => router.service(AccountService, rpcs)),
  );

const REASON = "the reference is an adjustment's";

/** A client of billing whose calls and entries are listed in the order in which they come. One RPC may fail. */
function recordedBilling(failing?: "recharge" | "recordAction") {
  const order: unknown[] = [];
  const seen = (rpc: string, what: unknown) => {
    order.push(what);
    if (rpc === failing) throw new ConnectError(REASON, Code.FailedPrecondition);
    return {};
  };
  const accounts = accountsThat({ recordAction: (entry) => seen("recordAction", entry) });
  const done = () => ({});
  const rpcs = { getBalance: done, setDiscount: done, setTokenLimits: done };
  const transport = createRouterTransport(
    (router) =>
      router.service(BillingService, { ...rpcs, recharge: () => seen("recharge", "recharge") }),
    { transport: { interceptors: [auditInterceptor(() => accounts)] } },
  );
  return { billing: createClient(BillingService, transport), order };
}

const KEY = "key_2zjrwfavgwd8tj2ht7shw0cw42";
const RECHARGE = { accountId, mode: Mode.LIVE, tokens: 500n, reference: "invoice 7" };
const ENTRY = {
  $typeName: "media.accounts.v1.RecordActionRequest",
  action: "balance.recharge",
  accountId,
  mode: Mode.LIVE,
  target: "",
  details: { tokens: "500", reference: "invoice 7" },
  error: "",
};

describe("an operator's call", () => {
  it("is recorded before it is made; reads are not", async () => {
    const { billing, order } = recordedBilling();
    await billing.recharge(RECHARGE);
    await billing.getBalance({ accountId, mode: Mode.LIVE });
    expect(order).toEqual([ENTRY, "recharge"]);
  });

  it("has a second entry when it fails", async () => {
    const { billing, order } = recordedBilling("recharge");
    await expect(billing.recharge(RECHARGE)).rejects.toThrow(REASON);
    const error = expect.stringContaining(REASON) as string;
    expect(order).toEqual([ENTRY, "recharge", { ...ENTRY, error }]);
  });

  it("is neither recorded nor made when the rules of the protos refuse it", async () => {
    const { billing, order } = recordedBilling();
    const wrong = billing.recharge({ ...RECHARGE, tokens: 0n });
    await expect(wrong).rejects.toThrow("tokens: must be greater than");
    expect(order).toEqual([]);
  });

  it("is recorded with what is 0 or not set", async () => {
    const { billing, order } = recordedBilling();
    await billing.setDiscount({ accountId, discount: { basisPoints: 0 } });
    await billing.setTokenLimits({ accountId, keyId: KEY, dayTokens: 5n });
    expect(order).toMatchObject([
      { details: { discount: expect.stringContaining('"basis_points":0') as string } },
      { target: KEY, details: { day_tokens: "5", month_tokens: "not set" } },
    ]);
  });

  it("is not made when it cannot be recorded", async () => {
    const { billing, order } = recordedBilling("recordAction");
    await expect(billing.recharge(RECHARGE)).rejects.toThrow(REASON);
    expect(order).toEqual([ENTRY]);
  });

  it("is recorded under an action of the document, for every RPC that changes something", () => {
    const { AuditAction } = readDocument("dashboard").components.schemas as {
      AuditAction?: { enum: string[] };
    };
    const actionOf = (method: DescMethod) => getOption(method, audit_action);
    const unrecorded = CALLED.filter((method) => actionOf(method) === "").map(
      ({ parent, name }) => `${parent.typeName}/${name}`,
    );
    expect(unrecorded.toSorted()).toEqual([
      "media.billing.v1.BillingService/AuditAccount",
      "media.billing.v1.BillingService/GetBalance",
      "media.billing.v1.BillingService/GetDiscounts",
      "media.billing.v1.BillingService/GetStatement",
      "media.billing.v1.BillingService/ListTransactions",
      "media.delivery.v1.DeliveryService/GetUsage",
      "media.delivery.v1.DeliveryService/GetWebhookSecret",
      "media.delivery.v1.DeliveryService/ListDeliveries",
      "media.delivery.v1.DeliveryService/ListDisabledUrls",
      "media.delivery.v1.DeliveryService/SendTestEvent",
      "media.generation.v1.GenerationService/CheckUpstreams",
      "media.generation.v1.GenerationService/GetRetention",
      "media.generation.v1.GenerationService/GetTask",
      "media.generation.v1.GenerationService/ListModels",
      "media.generation.v1.GenerationService/ListTasks",
      "media.generation.v1.GenerationService/Reconcile",
      // It belongs to no account.
      "media.generation.v1.GenerationService/TryUpstream",
    ]);
    const recorded = CALLED.map(actionOf).filter((action) => action !== "");
    expect(AuditAction?.enum).toEqual(expect.arrayContaining(recorded));
  });
});

/** One that calls an RPC by a row of the table, and those that have code. */
it.each(["balance", "statement --month 2026-11", "audit"])(
  "refuses %s of an account that does not exist, and asks no service",
  async (command) => {
    const asked: string[] = [];
    const record: Interceptor = (next) => (request) => {
      asked.push(request.method.name);
      return next(request);
    };
    const getAccount = ({ accountId: id }: { accountId: string }) => {
      throw accountNotFound(id);
    };
    const { stderr } = await ops(`${command} --mode test ${OF}`, { accounts: { getAccount } }, [
      record,
    ]);
    expect(stderr).toBe(`ops: there is no account "${first}": see "ops account list"\n`);
    expect(asked).toEqual(["GetAccount"]);
  },
);

it("looks up the account of every call that names one, once", async () => {
  const lookedUp: string[] = [];
  const accounts = accountsThat({
    getAccount: ({ accountId }) => {
      lookedUp.push(accountId);
      return {};
    },
  });
  const methods = CALLED.filter(({ input }) =>
    input.fields.some(({ name }) => name === "account_id"),
  );
  expect(methods.length).toBeGreaterThan(10);
  const transport = createRouterTransport(
    (router) => {
      for (const service of ASKED) router.service(service, {});
    },
    { transport: { interceptors: [accountInterceptor(() => accounts)] } },
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
