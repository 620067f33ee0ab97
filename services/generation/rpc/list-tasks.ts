/** ListTasks: reads generations for operators, newest first. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { generationStatusName } from "#runtime/generation-status.ts";
import type { Deps } from "../deps.ts";
import { toTask } from "../domain/task.ts";
import { listTasks as listRows } from "../store/tasks.ts";

/** Of all accounts unless one is named; the unfinished ones unless a status is named. Errors: none. */
export function listTasks(deps: Deps): ServiceImpl<typeof GenerationService>["listTasks"] {
  return async ({ accountId, status, model, createdAfter, limit }) => {
    const rows = await listRows(deps.sql, {
      accountId,
      status: generationStatusName(status),
      model,
      createdAfter: createdAfter ? timestampDate(createdAfter) : new Date(0),
      limit,
    });
    return { tasks: rows.map((row) => toTask(row)) };
  };
}
