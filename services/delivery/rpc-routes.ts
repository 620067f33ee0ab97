/** The handlers of DeliveryService. */
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { Deps, Rpcs } from "./rpc/deps.ts";
import { assetRpcs } from "./rpc/assets.ts";
import { createFile } from "./rpc/create-file.ts";
import { deliveryRpcs } from "./rpc/deliveries.ts";
import { urlRpcs } from "./rpc/disabled-urls.ts";
import { fileRpcs } from "./rpc/files.ts";
import { outputRpcs } from "./rpc/outputs.ts";
import { eventRpcs } from "./rpc/send-events.ts";
import { storeOutput } from "./rpc/store-output.ts";
import { secretRpcs } from "./rpc/webhook-secrets.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    storeOutput: storeOutput(deps),
    ...outputRpcs(deps),
    createFile: createFile(deps),
    ...fileRpcs(deps),
    ...assetRpcs(deps),
    ...eventRpcs(deps),
    ...deliveryRpcs(deps),
    ...urlRpcs(deps),
    ...secretRpcs(deps),
  } satisfies Rpcs;
  return (router) => router.service(DeliveryService, implementation);
}
