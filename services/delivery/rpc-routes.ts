/** The handlers of DeliveryService. */
import type { ServiceImpl } from "@connectrpc/connect";
import { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { Deps } from "./rpc/deps.ts";
import { createFile } from "./rpc/create-file.ts";
import { deleteAssets, getUsage, setRetention, setStorageLimit } from "./rpc/assets.ts";
import { deleteFile, getFile, listFiles, releaseFiles, useFiles, fetchInput } from "./rpc/files.ts";
import { deleteGeneration, deleteWebhooks, discardOutput, findOutput } from "./rpc/outputs.ts";
import { disableUrl, enableUrl, listDisabledUrls } from "./rpc/disabled-urls.ts";
import { getDelivery, listDeliveries, redeliver } from "./rpc/deliveries.ts";
import { getWebhookSecret, rotateWebhookSecret } from "./rpc/webhook-secrets.ts";
import { acceptEnd, sendAlert, sendTestEvent } from "./rpc/send-events.ts";
import { storeOutput } from "./rpc/store-output.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    storeOutput: storeOutput(deps),
    findOutput: findOutput(deps),
    discardOutput: discardOutput(deps),
    deleteGeneration: deleteGeneration(deps),
    deleteWebhooks: deleteWebhooks(deps),
    createFile: createFile(deps),
    getFile: getFile(deps),
    listFiles: listFiles(deps),
    deleteFile: deleteFile(deps),
    useFiles: useFiles(deps),
    releaseFiles: releaseFiles(deps),
    fetchInput: fetchInput(deps),
    setRetention: setRetention(deps),
    setStorageLimit: setStorageLimit(deps),
    getUsage: getUsage(deps),
    deleteAssets: deleteAssets(deps),
    acceptEnd: acceptEnd(deps),
    getWebhookSecret: getWebhookSecret(deps),
    rotateWebhookSecret: rotateWebhookSecret(deps),
    sendTestEvent: sendTestEvent(deps),
    sendAlert: sendAlert(deps),
    listDisabledUrls: listDisabledUrls(deps),
    disableUrl: disableUrl(deps),
    enableUrl: enableUrl(deps),
    listDeliveries: listDeliveries(deps),
    getDelivery: getDelivery(deps),
    redeliver: redeliver(deps),
  } satisfies ServiceImpl<typeof DeliveryService>;
  return (router) => router.service(DeliveryService, implementation);
}
