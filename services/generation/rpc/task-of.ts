/** What the operators' RPCs share: finding the task that they name, and refusing what has ended. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { findTask } from "../store/tasks.ts";
import { notFound } from "./create-generation.ts";

export type TaskName = { generationId: string; accountId?: string | undefined };

export async function taskOf(deps: Deps, name: TaskName): Promise<GenerationRow> {
  const row = await findTask(deps.sql, name.generationId, name.accountId);
  if (!row) throw notFound(name.generationId);
  return row;
}

export function alreadyEnded(row: GenerationRow): Error {
  return refusal({
    reason: ErrorReason.ALREADY_FINISHED,
    message: `${row.id} has ended, or is about to: ${row.settling ?? row.status ?? "void"}`,
  });
}
