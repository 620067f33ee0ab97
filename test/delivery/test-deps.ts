/** Delivery's dependencies for tests of its handlers: what a test does not name refuses to be used, or is nobody. */
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { allowNone } from "#runtime/address.ts";
import { randomId } from "#runtime/id.ts";
import type { Deps } from "../../services/delivery/deps.ts";
import { memoryClient } from "../support/rpc.ts";
import { quiet, testBox } from "./webhook/fixtures.ts";

export function testDeps(named: Pick<Deps, "sql" | "clock"> & Partial<Deps>): Deps {
  return {
    newId: randomId,
    log: quiet,
    generation: memoryClient(GenerationService, () => undefined),
    copyOutput: () => Promise.reject(new Error("nothing is copied here")),
    fetchPicture: () => Promise.reject(new Error("nothing is fetched here")),
    secretBox: testBox,
    allowAddress: allowNone,
    assetBaseUrl: "https://media.example/assets",
    ringSender: () => {},
    ...named,
  };
}
