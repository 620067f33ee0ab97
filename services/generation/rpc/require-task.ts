/** What the RPCs for operators share: finding the task that a request names, and refusing one that has ended. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { findTask } from "../store/tasks.ts";
import { notFound } from "./refusals.ts";

/** Without an account the task is looked for in all accounts. */
export type TaskAddress = { generationId: string; accountId?: string | undefined };

/** Refuses with NOT_FOUND. */
export async function requireTask(deps: Deps, address: TaskAddress): Promise<GenerationRow> {
  const row = await findTask(deps.sql, address.generationId, address.accountId);
  if (!row) throw notFound(address.generationId);
  return row;
}

export function taskEnded(row: GenerationRow): Error {
  return refusal({
    reason: ErrorReason.ALREADY_FINISHED,
    message: `${row.id} has ended or is about to end: ${row.settling ?? row.status ?? "void"}`,
  });
}
