/** The handler of each RPC of GenerationService. */
import type { ServiceImpl } from "@connectrpc/connect";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { Deps } from "./rpc/deps.ts";
import { cancelGeneration, deleteGeneration, eraseAccount } from "./rpc/cancel-generation.ts";
import { checkCallback, receiveCallback } from "./rpc/callbacks.ts";
import { checkUpstreams, tryUpstream } from "./rpc/upstreams.ts";
import {
  findEnded,
  getGeneration,
  listGenerations,
  searchGenerations,
} from "./rpc/read-generations.ts";
import { createImage, createVideo } from "./rpc/create-generation.ts";
import {
  failTask,
  getRetention,
  getTask,
  listTasks,
  makeTaskDue,
  reconcile,
  setRetention,
} from "./rpc/tasks.ts";
import { getUsage, listCharges } from "./rpc/usage.ts";
import { listModels } from "./rpc/models.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    createVideo: createVideo(deps),
    createImage: createImage(deps),
    getGeneration: getGeneration(deps),
    findEnded: findEnded(deps),
    listGenerations: listGenerations(deps),
    searchGenerations: searchGenerations(deps),
    cancelGeneration: cancelGeneration(deps),
    deleteGeneration: deleteGeneration(deps),
    eraseAccount: eraseAccount(deps),
    listModels: listModels(deps),
    getUsage: getUsage(deps),
    listCharges: listCharges(deps),
    reconcile: reconcile(deps),
    checkCallback: checkCallback(deps),
    receiveCallback: receiveCallback(deps),
    checkUpstreams: checkUpstreams(deps),
    tryUpstream: tryUpstream(deps),
    listTasks: listTasks(deps),
    getTask: getTask(deps),
    makeTaskDue: makeTaskDue(deps),
    failTask: failTask(deps),
    setRetention: setRetention(deps),
    getRetention: getRetention(deps),
  } satisfies ServiceImpl<typeof GenerationService>;
  return (router) => router.service(GenerationService, implementation);
}
