/** What the tests of the delivery log share: a sender that works when asked, and the RPCs on the same rows. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { parseCidrs } from "#runtime/address.ts";
import { faultsOf, reasonOf } from "#runtime/rpc/errors.ts";
import { routes } from "../../../services/delivery/routes.ts";
import type { testDatabase } from "../../support/database.ts";
import { memoryClient } from "../../support/rpc.ts";
import { senderBench } from "./fixtures.ts";
import { testDeps } from "../test-deps.ts";

/** One account in live mode. */
export async function logBench(
  database: Awaited<ReturnType<typeof testDatabase>>,
  { allowAddress = parseCidrs(["127.0.0.0/8"]) } = {},
) {
  const bench = await senderBench(database);
  const seen = { rings: 0 };
  const rpc = memoryClient(
    DeliveryService,
    routes(testDeps({ ...bench, allowAddress, ringSender: () => (seen.rings += 1) })),
  );
  const of = { accountId: bench.accountId, mode: Mode.LIVE };
  return {
    bench,
    seen,
    rpc,
    of,
    list: (change: object = {}) => rpc.listDeliveries({ ...of, limit: 100, ...change }),
    get: async (deliveryId: string, change: object = {}) =>
      (await rpc.getDelivery({ ...of, deliveryId, ...change })).delivery,
    redeliver: async (deliveryId: string, change: object = {}) =>
      (await rpc.redeliver({ ...of, deliveryId, ...change })).delivery,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

/** Why the call was refused; undefined members where it was not. */
export const refusalOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { reason: reasonOf(error), field: faultsOf(error)[0]?.field };
};
