/** Step `settle`: carries out a decision: money, terminal status, event (docs/architecture.md, invariant 5). */
import { generationFinished } from "#runtime/events/events.ts";
import type { Deps } from "./deps.ts";
import {
  finishedEvent,
  hasWebhook,
  inputFromJson,
  stepAfterNotify,
  type GenerationRow,
} from "../../domain/generation.ts";
import { holdOf } from "../../domain/hold.ts";
import { chargeFor } from "../../domain/plan.ts";
import { releaseHeld } from "../../holds/release-held.ts";

export async function settle(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  const { settling } = row;
  if (settling === null) throw new Error("a row in step settle has no decision");
  const input = inputFromJson(row.kind, row.input);
  const charged = chargeFor(row.tokens, input, row.output.length);
  if (settling === "success") await deps.billing.capture({ hold: holdOf(row), tokens: charged });
  else await releaseHeld(deps, row);
  const now = deps.clock.now();
  const after = stepAfterNotify(row, settling);
  const isNotified = hasWebhook(row);
  const ended = await deps.writes.end(row, {
    step: isNotified ? "notify" : after,
    nextStepAt: now,
    completedAt: now,
    tokens: settling === "success" ? charged : row.tokens,
  });
  if (!ended) return undefined;
  deps.completions.complete(row.id);
  await recordDuration(deps, ended);
  deps.metrics.ended.inc({ kind: row.kind, status: settling, code: ended.errorCode ?? "" });
  deps.bus.publish(generationFinished, finishedEvent(ended));
  const { id, accountId, model, status, errorCode } = ended;
  const ms = now.getTime() - row.createdAt.getTime();
  deps.log.info(
    { generation_id: id, account_id: accountId, model, status, error_code: errorCode, ms },
    "generation ended",
  );
  return isNotified ? ended : undefined;
}

/** Records the duration for the estimated progress of later videos; a failure is ignored. */
async function recordDuration(deps: Deps, row: GenerationRow): Promise<void> {
  const { kind, status, mode, model, startedAt, completedAt } = row;
  if (kind !== "video" || status !== "success" || !startedAt || !completedAt) return;
  const tookMs = completedAt.getTime() - startedAt.getTime();
  await deps.durations.record(mode, model, tookMs).catch(() => undefined);
}
