/** The fixture for tests of webhook RPCs: the sender fixture, and the RPCs on the same database. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { parseCidrs } from "#runtime/address.ts";
import { routes } from "../../../services/delivery/rpc-routes.ts";
import { memoryClient } from "../../support/rpc.ts";
import { testDeps } from "../test-deps.ts";
import { senderFixture, type DeliveryDatabase } from "./sender-fixture.ts";

/** The RPC shortcuts act for the fixture's account in live mode. */
export async function logFixture(
  database: DeliveryDatabase,
  { allowAddress = parseCidrs(["127.0.0.0/8"]) } = {},
) {
  const sender = await senderFixture(database);
  const seen = { wakes: 0 };
  const rpc = memoryClient(
    DeliveryService,
    routes(testDeps({ ...sender, allowAddress, wakeSender: () => (seen.wakes += 1) })),
  );
  const owner = { accountId: sender.accountId, mode: Mode.LIVE };
  return {
    ...sender,
    /** Counts the signals to the sender. */
    seen,
    rpc,
    owner,
    list: (change: object = {}) => rpc.listDeliveries({ ...owner, limit: 100, ...change }),
    get: async (deliveryId: string, change: object = {}) =>
      (await rpc.getDelivery({ ...owner, deliveryId, ...change })).delivery,
    redeliver: async (deliveryId: string, change: object = {}) =>
      (await rpc.redeliver({ ...owner, deliveryId, ...change })).delivery,
  };
}
