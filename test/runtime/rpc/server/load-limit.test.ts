/** What a service does with more calls than it can answer soon. */
import { setImmediate as turn } from "node:timers/promises";
import {
  Code,
  ConnectError,
  createClient,
  createRouterTransport,
  type HandlerContext,
} from "@connectrpc/connect";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { getOption } from "@bufbuild/protobuf";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { load_limited } from "#gen/proto/media/runtime/v1/calls_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { createLog } from "#runtime/log.ts";
import { loadLimits, MAX_IN_PROGRESS } from "#runtime/load-limit.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { serverInterceptor, turnKey } from "#runtime/rpc/server/interceptors.ts";
import { findRpcs, type Rpc } from "../../../contract/proto/rpcs.ts";
import { manualClock } from "../../../support/manual-clock.ts";

const BEGUN_BY_CLIENTS = [
  "GenerationService.CreateVideo",
  "GenerationService.CreateImage",
  "GenerationService.CancelGeneration",
  "GenerationService.DeleteGeneration",
  "GenerationService.SearchGenerations",
  "GenerationService.CountGenerations",
  "GenerationService.FindGenerations",
  "GenerationService.ListCharges",
  "BillingService.CountTransactions",
  "DeliveryService.CountDeliveries",
  "DeliveryService.CreateFile",
  "DeliveryService.GetFile",
  "DeliveryService.ListFiles",
  "DeliveryService.DeleteFile",
  "DeliveryService.Redeliver",
];

const balance = { accountId: `acct_${"0".repeat(26)}`, mode: Mode.LIVE };
const hold = { ...balance, generationId: `vgen_${"0".repeat(26)}`, attempt: 1 };

/** A service whose calls of GetBalance and Capture last until `answer`. */
function fixture(onCall: (context: HandlerContext) => void = () => {}) {
  const clock = manualClock();
  const limits = loadLimits({ clock, metrics: new Registry() });
  const answered = Promise.withResolvers<void>();
  let begun = 0;
  const handle = async (_request: unknown, context: HandlerContext) => {
    begun += 1;
    onCall(context);
    await answered.promise;
    return {};
  };
  const transport = createRouterTransport(
    (router) =>
      router.service(BillingService, {
        getBalance: handle,
        capture: handle,
        listTransactions: () => ({}),
      }),
    { router: { interceptors: [serverInterceptor({ limits, log: createLog("test", "silent") })] } },
  );
  const client = createClient(BillingService, transport);
  /** `count` calls, which have begun or wait for their turn when it resolves. */
  const call = async (count: number, rpc: "getBalance" | "capture" = "getBalance") => {
    const all = Array.from({ length: count }, () => client[rpc]({ ...balance, hold }));
    for (const one of all) one.catch(() => {});
    for (let turns = 0; turns < 10; turns += 1) await turn();
    return { all };
  };
  return { clock, client, call, begun: () => begun, answer: answered.resolve };
}

describe("calls beyond the limit of an RPC", () => {
  it("are unavailable soon, and the others go on", async () => {
    const { clock, client, call, begun, answer } = fixture();
    const { all: inProgress } = await call(MAX_IN_PROGRESS);
    const {
      all: [refused],
    } = await call(1);
    expect(begun()).toBe(MAX_IN_PROGRESS);
    clock.advance(200);
    const error = ConnectError.from(await refused?.catch((fault: unknown) => fault));
    expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, ErrorReason.UNAVAILABLE]);
    await expect(client.listTransactions({ ...balance, limit: 1 })).resolves.toBeDefined();
    answer();
    await expect(Promise.all(inProgress)).resolves.toHaveLength(MAX_IN_PROGRESS);
  });

  it("begin if the RPC is not limited, because it carries on what was accepted", async () => {
    const { call, begun } = fixture();
    await call(MAX_IN_PROGRESS + 1, "capture");
    expect(begun()).toBe(MAX_IN_PROGRESS + 1);
  });

  it("are refused of what clients begin and of all that internal callers may read, and of nothing else", async () => {
    const limited = (await findRpcs()).filter(({ method }) => getOption(method, load_limited));
    const names = ({ callers, name }: Rpc) =>
      callers.includes("internal") || BEGUN_BY_CLIENTS.includes(name);
    expect(limited).toEqual((await findRpcs()).filter(names));
  });

  it("begin while those before them only wait", async () => {
    const { call, begun } = fixture(({ values }) => values.get(turnKey)?.pause());
    await call(MAX_IN_PROGRESS + 1);
    expect(begun()).toBe(MAX_IN_PROGRESS + 1);
  });
});
