/** What matters now, from one scrape of every replica. */
import type { ServiceName } from "#runtime/service.ts";
import type { Replica } from "./scrape.ts";

export type ServiceStatus = {
  service: ServiceName;
  replicas: number;
  answering: number;
  versions: string[];
  /** How many of them are connected to the event stream. */
  on_stream: number;
  /** Callers that wait for a connection to Postgres. */
  waiting_for_sql: number;
  event_loop_lag_seconds: number;
  /** When its key was made, in seconds since 1970. */
  key_made_at: Figure;
};

/** Null: unknown, because no replica said it. */
type Figure = number | null;

export type Status = {
  services: ServiceStatus[];
  queue: {
    queued: Figure;
    oldest_queued_seconds: Figure;
    due: Figure;
    oldest_due_seconds: Figure;
    untaken_seconds: Figure;
    unknown_submits: Figure;
  };
  upstreams: {
    closed: Figure;
    without_key: Figure;
    circuits_open: string[];
    slots: { credential: string; used: number; limit: Figure; waited_for: number }[];
  };
  /** Files whose last change was refused. */
  files_refused: string[];
  webhooks: { ready: Figure; planned: Figure; oldest_due_seconds: Figure };
  ledger: { discrepancies: Figure };
  stream: { pending: Figure };
  storage: { free_part: Figure };
  /** What an operator should look at, in words. */
  concerns: string[];
};

const CERTIFICATE_SECONDS = 14 * 86_400;
const KEY_SECONDS = 180 * 86_400;

export function statusOf(replicas: readonly Replica[], now: Date): Status {
  const all = replicas.flatMap(({ samples = [] }) => samples);
  const values = (name: string, labels: Record<string, string> = {}) =>
    all
      .filter((one) => one.name === name)
      .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
      .map(({ value }) => value);
  const most = (name: string, labels?: Record<string, string>): Figure =>
    maxOf(values(name, labels));
  /** Every replica shows the same figures, so each series counts once. */
  const total = (name: string): Figure => {
    const series = Map.groupBy(
      all.filter((one) => one.name === name),
      ({ labels }) => JSON.stringify(labels),
    );
    const isRead = values("media_submits_unknown").length > 0;
    const sum = [...series.values()].map((same) => maxOf(same.map(({ value }) => value)) ?? 0);
    return isRead ? sum.reduce((one, other) => one + other, 0) : null;
  };
  const byLabel = (name: string, label: string) =>
    Map.groupBy(
      all.filter((one) => one.name === name),
      ({ labels }) => labels[label] ?? "",
    );
  /** What the label says where any replica has 1. */
  const labelsOn = (name: string, label: string) =>
    [...byLabel(name, label)]
      .filter(([, same]) => same.some(({ value }) => value > 0))
      .map(([value]) => value);
  const used = byLabel("media_slots_used", "credential");
  const waited = byLabel("media_slots_waited_for", "credential");
  const free = most("media_storage_free_bytes");
  const size = most("media_storage_size_bytes");
  const status = {
    services: servicesIn(replicas),
    queue: {
      queued: total("media_tasks_queued"),
      oldest_queued_seconds: most("media_oldest_queued_task_age_seconds") ?? 0,
      due: total("media_tasks_due"),
      oldest_due_seconds: most("media_oldest_due_task_age_seconds") ?? 0,
      untaken_seconds: minOf(values("media_tasks_untaken_seconds")),
      unknown_submits: most("media_submits_unknown"),
    },
    upstreams: {
      closed: most("media_route_closures"),
      without_key: most("media_routes_without_key"),
      circuits_open: labelsOn("media_route_circuit_open", "route"),
      slots: [...new Set([...used.keys(), ...waited.keys()])].map((credential) => ({
        credential,
        used: most("media_slots_used", { credential }) ?? 0,
        limit: most("media_slots_limit", { credential }),
        waited_for: most("media_slots_waited_for", { credential }) ?? 0,
      })),
    },
    files_refused: labelsOn("media_file_refused", "file"),
    webhooks: {
      ready: most("media_webhooks_waiting", { state: "ready" }),
      planned: most("media_webhooks_waiting", { state: "planned" }),
      oldest_due_seconds: most("media_oldest_due_webhook_age_seconds"),
    },
    ledger: { discrepancies: most("media_hold_discrepancies") },
    stream: { pending: most("media_event_consumer_pending") },
    storage: { free_part: free !== null && size ? free / size : null },
  };
  const expiresAt = minOf(values("media_certificate_expiry_timestamp_seconds"));
  return { ...status, concerns: concernsOf(status, expiresAt, now.getTime() / 1_000) };
}

function servicesIn(replicas: readonly Replica[]): ServiceStatus[] {
  return [...Map.groupBy(replicas, ({ service }) => service)].map(([service, own]) => {
    const samples = own.flatMap((one) => one.samples ?? []);
    const values = (name: string, label = "", value = "") =>
      samples
        .filter((one) => one.name === name && (one.labels[label] ?? "") === value)
        .map((one) => one.value);
    const versions = samples
      .filter(({ name }) => name === "media_build_info")
      .map(({ labels }) => labels["version"] ?? "");
    return {
      service,
      replicas: own.length,
      answering: own.filter((one) => one.samples).length,
      versions: [...new Set(versions)],
      on_stream: values("media_event_stream_connected").filter((value) => value === 1).length,
      waiting_for_sql: maxOf(values("media_sql_pool_connections", "state", "waiting")) ?? 0,
      event_loop_lag_seconds: maxOf(values("nodejs_eventloop_lag_p99_seconds")) ?? 0,
      key_made_at: minOf(values("media_service_key_created_timestamp_seconds")),
    };
  });
}

/** The conditions of deploy/observability/rules.yaml that one scrape can tell. */
function concernsOf(
  status: Omit<Status, "concerns">,
  certificateExpiresAt: Figure,
  nowSeconds: number,
): string[] {
  const { services, queue, upstreams, files_refused, webhooks, ledger, storage } = status;
  const found: [boolean, string][] = [
    ...services.flatMap(
      ({ service, replicas, answering, on_stream, key_made_at }): [boolean, string][] => [
        [answering < replicas, `${service}: ${replicas - answering} of ${replicas} do not answer`],
        [on_stream < answering, `${service}: not connected to the event stream`],
        [
          nowSeconds - (key_made_at ?? nowSeconds) > KEY_SECONDS,
          `${service}: its key is older than half a year: ops keys rotate`,
        ],
      ],
    ),
    [(queue.untaken_seconds ?? 0) > 60, "no worker takes the tasks that wait"],
    [(queue.oldest_due_seconds ?? 0) > 60, "a task has been due for more than a minute"],
    [(queue.unknown_submits ?? 0) > 0, "submits whose answer was lost"],
    [(upstreams.closed ?? 0) > 0, "upstreams are closed: ops provider check"],
    [
      (upstreams.without_key ?? 0) > 0,
      "upstreams are not used because they have no key: ops provider check",
    ],
    [
      files_refused.length > 0,
      `changes are refused, and the next start would fail: ${files_refused.join(", ")}`,
    ],
    [upstreams.circuits_open.length > 0, `circuits open: ${upstreams.circuits_open.join(", ")}`],
    [(webhooks.oldest_due_seconds ?? 0) > 300, "a webhook has been due for more than 5 minutes"],
    [(ledger.discrepancies ?? 0) > 0, "holds and generations do not agree: ops reconcile"],
    [(storage.free_part ?? 1) < 0.1, "less than a tenth of the disk of stored files is left"],
    [
      (certificateExpiresAt ?? Infinity) - nowSeconds < CERTIFICATE_SECONDS,
      "a certificate expires within two weeks",
    ],
  ];
  return found.filter(([isSo]) => isSo).map(([, words]) => words);
}

function maxOf(values: readonly number[]): Figure {
  return values.length === 0 ? null : Math.max(...values);
}

function minOf(values: readonly number[]): Figure {
  return values.length === 0 ? null : Math.min(...values);
}
