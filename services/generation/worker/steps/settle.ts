/** Step `settle`: carries out a decision: money, terminal status, event (docs/architecture.md, invariant 5). */
import { create } from "@bufbuild/protobuf";
import { GenerationFinishedSchema } from "#gen/proto/media/events/v1/events_pb.ts";
import { generationFinished } from "#runtime/events/events.ts";
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { finishedEvent, stepAfterNotify } from "../../domain/generation.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { holdOf } from "../../domain/hold.ts";

/** If delivery has not confirmed the event within this time, the end is sent to it by RPC. */
const CONFIRM_WITHIN_MS = 10_000;

export async function settle(deps: Deps, row: GenerationRow): Promise<undefined> {
  const { settling } = row;
  if (settling === null) throw new Error("a row in step settle has no decision");
  const hold = holdOf(row);
  await (settling === "success" ? deps.billing.capture({ hold }) : deps.billing.release({ hold }));
  const now = deps.clock.now();
  const after = stepAfterNotify(row, settling);
  const hasWebhook = typeof row.input["webhook_url"] === "string";
  const ended = await deps.writes.update(row, {
    status: settling,
    step: hasWebhook ? "notify" : after,
    next_step_at: hasWebhook ? addMs(now, CONFIRM_WITHIN_MS) : after === "done" ? null : now,
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

/** For the estimated progress of later videos; a failure to record it is ignored. */
async function recordDuration(deps: Deps, row: GenerationRow): Promise<void> {
  const { kind, status, mode, model, started_at, completed_at } = row;
  if (kind !== "video" || status !== "success" || !started_at || !completed_at) return;
  const tookMs = completed_at.getTime() - started_at.getTime();
  await deps.durations.record(mode, model, tookMs).catch(() => undefined);
}
