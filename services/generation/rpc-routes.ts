/** The handlers of GenerationService. */
import type { ServiceImpl } from "@connectrpc/connect";
import { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { Deps } from "./rpc/deps.ts";
import { callbackRpcs } from "./rpc/callbacks.ts";
import { endRpcs } from "./rpc/cancel-generation.ts";
import { createRpcs } from "./rpc/create-generation.ts";
import { modelRpcs } from "./rpc/models.ts";
import { readRpcs } from "./rpc/read-generations.ts";
import { taskRpcs } from "./rpc/tasks.ts";
import { upstreamRpcs } from "./rpc/upstreams.ts";
import { usageRpcs } from "./rpc/usage.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    ...createRpcs(deps),
    ...readRpcs(deps),
    ...endRpcs(deps),
    ...modelRpcs(deps),
    ...usageRpcs(deps),
    ...callbackRpcs(deps),
    ...upstreamRpcs(deps),
    ...taskRpcs(deps),
  } satisfies ServiceImpl<typeof GenerationService>;
  return (router) => router.service(GenerationService, implementation);
}
