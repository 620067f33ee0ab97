/** What matters now, from one scrape of every replica. */
import { concernsOf, isRead, type Expected } from "./concerns.ts";
import type { Labels, Replica, Sample } from "./scrape.ts";

/** Null: unknown, because no replica said it. */
type Figure = number | null;

export type Status = ReturnType<typeof statusOf>;

export function statusOf(replicas: readonly Replica[], now: Date, expected: Expected = {}) {
  const { most, total, labelsOf, labelsWhere } = figuresIn(
    replicas.flatMap(({ samples = [] }) => samples),
  );
  /** Series of queues are there for queues that have tasks: without any, none has, if the figures were read. */
  const isKnown = most("media_submits_unknown") !== null;
  const longest = (name: string): Figure => most(name) ?? (isKnown ? 0 : null);
  const free = most("media_storage_free_bytes");
  const size = most("media_storage_size_bytes");
  return {
    services: servicesIn(replicas, expected),
    queue: {
      queued: isKnown ? total("media_tasks_queued") : null,
      oldest_queued_seconds: longest("media_oldest_queued_task_age_seconds"),
      due: isKnown ? total("media_tasks_due") : null,
      oldest_due_seconds: longest("media_oldest_due_task_age_seconds"),
      unknown_submits: most("media_submits_unknown"),
    },
    upstreams: {
      /** Paused until operators act. */
      closed: labelsWhere("media_upstream_closed", "paused"),
      without_key: most("media_upstreams_without_key"),
      unavailable: labelsWhere("media_upstream_unavailable", "paused"),
      slots: labelsOf("credential", "media_slots_used", "media_slots_waited_for").map(
        (credential) => ({
          credential,
          used: most("media_slots_used", { credential }) ?? 0,
          limit: most("media_slots_limit", { credential }),
          waited_for: most("media_slots_waited_for", { credential }) ?? 0,
        }),
      ),
    },
    webhooks: {
      ready: most("media_webhooks_waiting", { state: "ready" }),
      planned: most("media_webhooks_waiting", { state: "planned" }),
      oldest_due_seconds: most("media_oldest_due_webhook_age_seconds"),
    },
    ledger: { discrepancies: most("media_hold_discrepancies") },
    storage: { free_part: free !== null && size ? free / size : null },
    /** What an operator should look at, in words; in brackets the outage that docs/operations.md explains. */
    concerns: concernsOf(replicas, now.getTime() / 1_000, expected),
  };
}

function servicesIn(replicas: readonly Replica[], expected: Expected) {
  return [...Map.groupBy(replicas, ({ service }) => service)].map(([service, own]) => {
    const said = own.flatMap(({ samples = [] }) => samples);
    const { values, most, labelsOf } = figuresIn(said);
    const count = (name: string, wanted: 0 | 1): Figure =>
      most(name) === null ? null : values(name).filter((value) => value === wanted).length;
    return {
      service,
      /** How many were found by its name, and how many there have to be where that is known. */
      replicas: own.length,
      expected: expected[service] ?? null,
      answering: own.filter(({ samples }) => samples).length,
      versions: labelsOf("version", "media_build_info"),
      /** How many cannot serve: their Postgres does not answer, or they stop. */
      not_ready: count("media_ready", 0),
      on_stream: count("media_event_stream_connected", 1),
      waiting_for_sql: most("media_sql_pool_connections", { state: "waiting" }),
      event_loop_lag_seconds: most("nodejs_eventloop_lag_p99_seconds"),
      /** The metrics that it could not read. */
      unread: unique(said.filter((one) => !isRead(one)).map(({ name }) => name)),
    };
  });
}

/** What samples say, by the names of their metrics. */
function figuresIn(said: readonly Sample[]) {
  const samples = said.filter(isRead);
  const series = (name: string, labels: Labels = {}) =>
    samples.filter(
      (one) =>
        one.name === name &&
        Object.entries(labels).every(([key, value]) => (one.labels[key] ?? "") === value),
    );
  const values = (...which: Parameters<typeof series>) =>
    series(...which).map(({ value }) => value);
  const labelsOf = (label: string, ...names: string[]) =>
    unique(names.flatMap((name) => series(name)).map(({ labels }) => labels[label] ?? ""));
  return {
    values,
    most: (...which: Parameters<typeof series>): Figure => {
      const found = values(...which);
      return found.length === 0 ? null : Math.max(...found);
    },
    /** Every replica shows the same figures, so each series counts once. */
    total: (name: string) =>
      [...Map.groupBy(series(name), ({ labels }) => JSON.stringify(labels)).values()]
        .map((same) => Math.max(...same.map(({ value }) => value)))
        .reduce((one, other) => one + other, 0),
    labelsOf,
    /** What the label says where any replica has 1. */
    labelsWhere: (name: string, label: string) =>
      labelsOf(label, name).filter((one) => values(name, { [label]: one }).includes(1)),
  };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
