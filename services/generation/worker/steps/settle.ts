/** Carries out a decision: money first, then the terminal state, then the event (architecture.md, invariant 5). */
import { create } from "@bufbuild/protobuf";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { finishedEvent, stepAfterNotify } from "../../domain/generation.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { holdOf } from "../../domain/hold.ts";

/** Delivery has this long to confirm the event before the end is handed over to it by RPC. */
const CONFIRM_WITHIN_MS = 10_000;

export async function settle(deps: Deps, row: GenerationRow): Promise<undefined> {
  const { settling } = row;
  if (settling === null) throw new Error("a settlement needs a decision");
  const hold = holdOf(row);
  await (settling === "success" ? deps.billing.capture({ hold }) : deps.billing.release({ hold }));
  const now = deps.clock.now();
  const after = stepAfterNotify(row, settling);
  const isNotified = typeof row.input["webhook_url"] === "string";
  const ended = await deps.writes.update(row, {
    status: settling,
    step: isNotified ? "notify" : after,
    next_step_at: isNotified ? addMs(now, CONFIRM_WITHIN_MS) : after === "done" ? null : now,
    lease_until: null,
    failures: 0,
    completed_at: now,
    ...(settling === "success" ? { progress: 100 } : {}),
  });
  if (!ended) return;
  deps.completions.complete(row.id);
  await recordDuration(deps, ended);
  deps.metrics.ended.inc({ kind: row.kind, status: settling });
  deps.bus.publish(generationFinished, create(GenerationFinishedSchema, finishedEvent(ended)));
  const { id, account_id, model, status, error_code } = ended;
  const ms = now.getTime() - row.created_at.getTime();
  deps.log.info(
    { generation_id: id, account_id, model, status, error_code, ms },
    "generation ended",
  );
}

/** For the progress of the next ones; it is not worth failing over. */
async function recordDuration(deps: Deps, row: GenerationRow): Promise<void> {
  const { kind, status, mode, model, started_at, completed_at } = row;
  if (kind !== "video" || status !== "success" || !started_at || !completed_at) return;
  const tookMs = completed_at.getTime() - started_at.getTime();
  await deps.durations.record(mode, model, tookMs).catch(() => undefined);
}
