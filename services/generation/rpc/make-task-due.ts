/** MakeTaskDue: an operator has a worker run an unfinished generation's next step now. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../deps.ts";
import { toTask } from "../domain/task.ts";
import { makeDueIfUnfinished } from "../store/tasks.ts";
import { taskEnded, requireTask } from "./require-task.ts";

/** A worker that holds the row keeps it. Errors: NOT_FOUND; ALREADY_FINISHED. */
export function makeTaskDue(deps: Deps): ServiceImpl<typeof GenerationService>["makeTaskDue"] {
  return async (request) => {
    const row = await requireTask(deps, request);
    const due = await makeDueIfUnfinished(deps.sql, row, deps.clock.now());
    if (!due) throw taskEnded(await requireTask(deps, request));
    deps.wake();
    deps.log.warn({ generation_id: row.id, account_id: row.accountId }, "made due by an operator");
    return { task: toTask(due) };
  };
}
