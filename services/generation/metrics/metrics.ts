/** Generation's own metrics: what its workers and upstreams do, and, read from Postgres for a scrape, the tasks that wait. */
import type { Registry } from "prom-client";
import type { Clock } from "#runtime/clock.ts";
import { figureGauges, metricsIn, sampled } from "#runtime/metrics/metrics.ts";
import { isOperators } from "../domain/pause-rules.ts";
import type { Pause } from "../store/slots.ts";
import type { TaskFigures, Waiting } from "../store/tasks.ts";
import type { ConfiguredUpstream } from "../upstreams/open-upstreams.ts";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const { counter, duration, gauge } = metricsIn(registry);
  const metrics = {
    ended: counter(
      "media_generations_ended_total",
      "Generations that have reached a terminal status",
      ["kind", "status", "code"],
    ),
    taken: counter(
      "media_tasks_taken_total",
      "Tasks that this process took: from a queue with a slot, or because they were due",
    ),
    stepDuration: duration(
      "media_task_step_duration_seconds",
      "How long steps of tasks took; failed ones are tried again",
      ["step", "outcome"],
    ),
    upstreamCall: duration(
      "media_upstream_call_duration_seconds",
      "How long calls of upstreams took",
      ["upstream", "call", "outcome"],
    ),
    discrepancies: gauge(
      "media_hold_discrepancies",
      "Holds without their generation, and generations without their hold, at the last comparison; NaN if that failed",
    ),
    upstreamsWithoutKey: gauge(
      "media_upstreams_without_key",
      "Enabled upstreams that are not used, because their credential has no key",
    ),
  };
  // A rate does not see the first failure of a series that begins with it.
  metrics.ended.inc({ kind: "image", status: "failed", code: "internal" }, 0);
  // Nothing was compared yet: 0 would be a result.
  metrics.discrepancies.remove();
  return metrics;
}

export function taskMetrics(
  registry: Registry,
  clock: Clock,
  readFigures: () => Promise<TaskFigures>,
  upstreams: readonly ConfiguredUpstream[],
): void {
  const figures = sampled(clock, readFigures);
  const age = ({ oldest }: Waiting) =>
    Math.max((clock.now().getTime() - oldest.getTime()) / 1_000, 0);
  const ofModels = (rows: readonly Waiting[], valueOf: (row: Waiting) => number) =>
    rows.map((row) => ({ labels: { mode: row.mode, model: row.model }, value: valueOf(row) }));
  const count = (row: Waiting) => row.count;
  figureGauges(registry, figures, ["mode", "model"], {
    media_tasks_queued: [
      "Tasks that wait for a slot; at most 5000 of each model",
      ({ queued }) => ofModels(queued, count),
    ],
    media_oldest_queued_task_age_seconds: [
      "Age of the oldest task that waits for a slot",
      ({ queued }) => ofModels(queued, age),
    ],
    media_tasks_due: [
      "Due tasks that no worker has; at most 5000 in all",
      ({ due }) => ofModels(due, count),
    ],
    media_oldest_due_task_age_seconds: [
      "For how long the oldest due task has been due",
      ({ due }) => ofModels(due, age),
    ],
  });
  figureGauges(registry, figures, [], {
    media_submits_unknown: [
      "Submits that may have made a job, and whose answer is missing after a minute",
      ({ unknownSubmits }) => [{ labels: {}, value: unknownSubmits }],
    ],
  });
  const paused = (pauses: readonly Pause[], isShown: (fault: Pause["fault"]) => boolean) =>
    pauses
      .filter(({ fault }) => isShown(fault))
      .map(({ name }) => ({ labels: { paused: name }, value: 1 }));
  figureGauges(registry, figures, ["paused"], {
    media_upstream_closed: [
      "1 for each upstream and credential that is paused and needs operators",
      ({ pauses }) => paused(pauses, isOperators),
    ],
    media_upstream_unavailable: [
      "1 for each upstream that is paused because its submits fail",
      ({ pauses }) => paused(pauses, (fault) => fault === "unavailable"),
    ],
  });
  const limits = upstreams.flatMap(({ credential, limits: { credentialLimit: value } }) =>
    value === undefined ? [] : [{ labels: { credential }, value }],
  );
  figureGauges(registry, figures, ["credential"], {
    media_slots_used: [
      "Tasks that are at upstreams",
      ({ slots }) =>
        slots.map(({ credential, count: value }) => ({ labels: { credential }, value })),
    ],
    media_slots_limit: [
      "How many tasks may be at a credential's upstreams at a time; absent without a limit",
      () => limits,
    ],
    media_slots_waited_for: [
      "Tasks in queues of live mode that a credential's upstreams serve",
      ({ queued }) => waitedFor(queued, upstreams),
    ],
  });
}

/** How many tasks wait for each credential that serves their model. */
function waitedFor(queued: TaskFigures["queued"], upstreams: readonly ConfiguredUpstream[]) {
  const enabled = upstreams.filter(({ isEnabled }) => isEnabled);
  return [...Map.groupBy(enabled, ({ credential }) => credential)].map(([credential, its]) => {
    const models = new Set(its.map(({ model }) => model));
    const waiting = queued.filter(({ mode, model }) => mode === "live" && models.has(model));
    return { labels: { credential }, value: waiting.reduce((sum, { count }) => sum + count, 0) };
  });
}
