/** The handlers of DeliveryService. */
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { Deps, Rpcs } from "./rpc/deps.ts";
import { assetRpcs } from "./rpc/assets.ts";
import { createFile } from "./rpc/create-file.ts";
import { webhookRpcs } from "./rpc/webhooks.ts";
import { fileRpcs } from "./rpc/files.ts";
import { outputRpcs } from "./rpc/outputs.ts";
import { eventRpcs } from "./rpc/send-events.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    ...outputRpcs(deps),
    createFile: createFile(deps),
    ...fileRpcs(deps),
    ...assetRpcs(deps),
    ...eventRpcs(deps),
    ...webhookRpcs(deps),
  } satisfies Rpcs;
  return (router) => router.service(DeliveryService, implementation);
}
