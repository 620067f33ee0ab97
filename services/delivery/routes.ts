/** The handlers of DeliveryService. */
import type { ServiceImpl } from "@connectrpc/connect";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Routes } from "#runtime/rpc/server.ts";
import type { Deps } from "./deps.ts";
import { createFile } from "./rpc/create-file.ts";
import { deleteAssets } from "./rpc/delete-assets.ts";
import { deleteFile } from "./rpc/delete-file.ts";
import { deleteGeneration } from "./rpc/delete-generation.ts";
import { deleteWebhooks } from "./rpc/delete-webhooks.ts";
import { discardOutput } from "./rpc/discard-output.ts";
import { enableUrl } from "./rpc/enable-url.ts";
import { fetchInput } from "./rpc/fetch-input.ts";
import { findOutput } from "./rpc/find-output.ts";
import { getDelivery } from "./rpc/get-delivery.ts";
import { getFile } from "./rpc/get-file.ts";
import { getUsage } from "./rpc/get-usage.ts";
import { getWebhookSecret } from "./rpc/get-webhook-secret.ts";
import { handOver } from "./rpc/hand-over.ts";
import { listDeliveries } from "./rpc/list-deliveries.ts";
import { listDisabledUrls } from "./rpc/list-disabled-urls.ts";
import { redeliver } from "./rpc/redeliver.ts";
import { releaseFiles } from "./rpc/release-files.ts";
import { rotateWebhookSecret } from "./rpc/rotate-webhook-secret.ts";
import { sendAlert } from "./rpc/send-alert.ts";
import { sendTestEvent } from "./rpc/send-test-event.ts";
import { setRetention } from "./rpc/set-retention.ts";
import { storeOutput } from "./rpc/store-output.ts";
import { useFiles } from "./rpc/use-files.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    storeOutput: storeOutput(deps),
    findOutput: findOutput(deps),
    discardOutput: discardOutput(deps),
    deleteGeneration: deleteGeneration(deps),
    deleteWebhooks: deleteWebhooks(deps),
    createFile: createFile(deps),
    getFile: getFile(deps),
    deleteFile: deleteFile(deps),
    useFiles: useFiles(deps),
    releaseFiles: releaseFiles(deps),
    fetchInput: fetchInput(deps),
    setRetention: setRetention(deps),
    getUsage: getUsage(deps),
    deleteAssets: deleteAssets(deps),
    handOver: handOver(deps),
    getWebhookSecret: getWebhookSecret(deps),
    rotateWebhookSecret: rotateWebhookSecret(deps),
    sendTestEvent: sendTestEvent(deps),
    sendAlert: sendAlert(deps),
    listDisabledUrls: listDisabledUrls(deps),
    enableUrl: enableUrl(deps),
    listDeliveries: listDeliveries(deps),
    getDelivery: getDelivery(deps),
    redeliver: redeliver(deps),
  } satisfies ServiceImpl<typeof DeliveryService>;
  return (router) => router.service(DeliveryService, implementation);
}
