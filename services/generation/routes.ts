/** The handler of each RPC of GenerationService. */
import type { ServiceImpl } from "@connectrpc/connect";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Routes } from "#runtime/rpc/server.ts";
import type { Deps } from "./deps.ts";
import { cancelVideo } from "./rpc/cancel-video.ts";
import { checkCallback } from "./rpc/check-callback.ts";
import { checkProviders } from "./rpc/check-providers.ts";
import { confirmHandover } from "./rpc/confirm-handover.ts";
import { createImage } from "./rpc/create-image.ts";
import { createVideo } from "./rpc/create-video.ts";
import { deleteGeneration } from "./rpc/delete-generation.ts";
import { failTask } from "./rpc/fail-task.ts";
import { findEnded } from "./rpc/find-ended.ts";
import { getEnd } from "./rpc/get-end.ts";
import { getGeneration } from "./rpc/get-generation.ts";
import { getRetention } from "./rpc/get-retention.ts";
import { getTask } from "./rpc/get-task.ts";
import { getUsage } from "./rpc/get-usage.ts";
import { listCharges } from "./rpc/list-charges.ts";
import { listGenerations } from "./rpc/list-generations.ts";
import { listModels } from "./rpc/list-models.ts";
import { listTasks } from "./rpc/list-tasks.ts";
import { makeTaskDue } from "./rpc/make-task-due.ts";
import { receiveCallback } from "./rpc/receive-callback.ts";
import { reconcile } from "./rpc/reconcile.ts";
import { searchGenerations } from "./rpc/search-generations.ts";
import { setRetention } from "./rpc/set-retention.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    createVideo: createVideo(deps),
    createImage: createImage(deps),
    getGeneration: getGeneration(deps),
    getEnd: getEnd(deps),
    findEnded: findEnded(deps),
    listGenerations: listGenerations(deps),
    searchGenerations: searchGenerations(deps),
    cancelVideo: cancelVideo(deps),
    deleteGeneration: deleteGeneration(deps),
    listModels: listModels(deps),
    getUsage: getUsage(deps),
    listCharges: listCharges(deps),
    reconcile: reconcile(deps),
    confirmHandover: confirmHandover(deps),
    checkCallback: checkCallback(deps),
    receiveCallback: receiveCallback(deps),
    checkProviders: checkProviders(deps),
    listTasks: listTasks(deps),
    getTask: getTask(deps),
    makeTaskDue: makeTaskDue(deps),
    failTask: failTask(deps),
    setRetention: setRetention(deps),
    getRetention: getRetention(deps),
  } satisfies ServiceImpl<typeof GenerationService>;
  return (router) => router.service(GenerationService, implementation);
}
