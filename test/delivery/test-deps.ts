/** Delivery's dependencies for tests of its handlers, calls of these, and what refused calls say. */
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { allowNone } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import { faultsOf, reasonOf } from "#runtime/rpc/errors.ts";
import type { Deps } from "../../services/delivery/rpc/deps.ts";
import { createLog } from "#runtime/log.ts";
import { masterKeys } from "../../services/delivery/webhook/signing-secrets.ts";
import { batchedAssets } from "../../services/delivery/store/assets.ts";
import { routes } from "../../services/delivery/rpc-routes.ts";
import { memoryClient } from "../support/rpc.ts";
import { memoryStore } from "./memory-store.ts";

/** Of the secrets of all tests. */
export const testMasterKeys = masterKeys([Buffer.alloc(32, 1)]);

export const silentLog = createLog("test", "silent");

/** `named` replaces the defaults: calls to what a test does not provide are refused or ignored. */
export function testDeps(named: Pick<Deps, "sql" | "clock"> & Partial<Deps>): Deps {
  return {
    newId: randomId,
    log: silentLog,
    assets: batchedAssets(named.sql),
    copyOutput: () => Promise.reject(new Error("nothing is copied here")),
    fetchPicture: () => Promise.reject(new Error("nothing is fetched here")),
    store: memoryStore(),
    masterKeys: testMasterKeys,
    allowAddress: allowNone,
    assetBaseUrl: "https://media.example/assets",
    wakeSender: () => {},
    ...named,
  };
}

export const rpcOf = (deps: Deps) => memoryClient(DeliveryService, routes(deps));

/** The reason and field of the call's error; both undefined if it succeeded. */
export const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => ({ reason: undefined, field: undefined }),
    (error: unknown) => ({ reason: reasonOf(error), field: faultsOf(error)[0]?.field }),
  );
