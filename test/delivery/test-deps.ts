/** Delivery's dependencies for tests of its handlers. Calls to what a test does not provide are refused or ignored. */
import { allowNone } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import type { Deps } from "../../services/delivery/rpc/deps.ts";
import { memoryStore } from "./memory-store.ts";
import { silentLog, testMasterKeys } from "./webhook/sender-fixture.ts";

/** `named` replaces the defaults. */
export function testDeps(named: Pick<Deps, "sql" | "clock"> & Partial<Deps>): Deps {
  return {
    newId: randomId,
    log: silentLog,
    copyOutput: () => Promise.reject(new Error("nothing is copied here")),
    fetchPicture: () => Promise.reject(new Error("nothing is fetched here")),
    store: memoryStore(),
    masterKeys: testMasterKeys,
    allowAddress: allowNone,
    assetBaseUrl: "https://media.example/assets",
    wakeSender: () => {},
    wakeDeletion: () => {},
    ...named,
  };
}
