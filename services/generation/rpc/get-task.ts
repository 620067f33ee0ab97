/** GetTask: reads one generation for operators, with all its known upstream jobs. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { toTask } from "../domain/task.ts";
import { listSubmits } from "../store/submits.ts";
import { requireTask } from "./require-task.ts";

/** Errors: NOT_FOUND, also for a generation that is not acknowledged. */
export function getTask(deps: Deps): ServiceImpl<typeof GenerationService>["getTask"] {
  return async (request) => {
    const row = await requireTask(deps, request);
    return { task: toTask(row, await listSubmits(deps.sql, row.accountId, row.id)) };
  };
}
