/** GetTask: one generation as the workers see it, with its upstream jobs. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { toTask } from "../domain/task.ts";
import { listSubmits } from "../store/submits.ts";
import { taskOf } from "./task-of.ts";

export function getTask(deps: Deps): ServiceImpl<typeof GenerationService>["getTask"] {
  return async (request) => {
    const row = await taskOf(deps, request);
    return { task: toTask(row, await listSubmits(deps.sql, row.account_id, row.id)) };
  };
}
