/** Names of RPCs to their handlers. */
import type { ServiceImpl } from "@connectrpc/connect";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Routes } from "#runtime/rpc-server.ts";
import type { Deps } from "./deps.ts";
import { getWebhookSecret } from "./rpc/get-webhook-secret.ts";
import { handOver } from "./rpc/hand-over.ts";
import { storeOutput } from "./rpc/store-output.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    storeOutput: storeOutput(deps),
    handOver: handOver(deps),
    getWebhookSecret: getWebhookSecret(deps),
  } satisfies ServiceImpl<typeof DeliveryService>;
  return (router) => router.service(DeliveryService, implementation);
}
