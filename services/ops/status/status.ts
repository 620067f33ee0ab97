/** What matters now, from one scrape of every replica. */
import type { ServiceName } from "#runtime/service/service.ts";
import type { Sample } from "./samples.ts";
import type { Replica } from "./scrape.ts";

export type ServiceStatus = {
  service: ServiceName;
  replicas: number;
  answering: number;
  /** How many of them cannot serve: their Postgres does not answer, or they stop. */
  not_ready: number;
  versions: string[];
  /** How many of them are connected to the event stream. */
  on_stream: number;
  /** How many of these get no answer of it. */
  without_stream: number;
  /** Callers that wait for a connection to Postgres. */
  waiting_for_sql: number;
  event_loop_lag_seconds: number;
  /** When its key was made, in seconds since 1970. */
  key_made_at: Figure;
  /** The metrics that it could not read. */
  unread: string[];
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
    suspended: Figure;
    without_key: Figure;
    circuits_open: string[];
    silent: string[];
    slots: { credential: string; used: number; limit: Figure; waited_for: number }[];
  };
  /** Files whose last change was refused. */
  files_refused: string[];
  webhooks: { ready: Figure; planned: Figure; oldest_due_seconds: Figure };
  ledger: { discrepancies: Figure };
  /** `failing`: read, write. */
  storage: { free_part: Figure; failing: string[] };
  /** What an operator should look at, in words; in brackets the alert that docs/operations.md explains. */
  concerns: string[];
};

const CERTIFICATE_SECONDS = 14 * 86_400;
const KEY_SECONDS = 180 * 86_400;

export function statusOf(replicas: readonly Replica[], now: Date): Status {
  const all = replicas.flatMap(({ samples = [] }) => samples.filter(isRead));
  const values = (name: string, labels: Record<string, string> = {}) =>
    all
      .filter((one) => one.name === name)
      .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
      .map(({ value }) => value);
  const most = (name: string, labels?: Record<string, string>): Figure =>
    maxOf(values(name, labels));
  /** Series of queues are there for queues that have tasks: without any, none has, if the figures were read. */
  const isKnown = values("media_submits_unknown").length > 0;
  const longest = (name: string): Figure => most(name) ?? (isKnown ? 0 : null);
  /** Every replica shows the same figures, so each series counts once. */
  const total = (name: string): Figure => {
    const series = Map.groupBy(
      all.filter((one) => one.name === name),
      ({ labels }) => JSON.stringify(labels),
    );
    const sum = [...series.values()].map((same) => maxOf(same.map(({ value }) => value)) ?? 0);
    return isKnown ? sum.reduce((one, other) => one + other, 0) : null;
  };
  const byLabel = (name: string, label: string) =>
    Map.groupBy(
      all.filter((one) => one.name === name),
      ({ labels }) => labels[label] ?? "",
    );
  /** What the label says where any replica has `wanted`. */
  const labelsWith = (wanted: 0 | 1, name: string, label: string) =>
    [...byLabel(name, label)]
      .filter(([, same]) => same.some(({ value }) => value === wanted))
      .map(([value]) => value);
  const used = byLabel("media_slots_used", "credential");
  const waited = byLabel("media_slots_waited_for", "credential");
  const free = most("media_storage_free_bytes");
  const size = most("media_storage_size_bytes");
  const status = {
    services: servicesIn(replicas),
    queue: {
      queued: total("media_tasks_queued"),
      oldest_queued_seconds: longest("media_oldest_queued_task_age_seconds"),
      due: total("media_tasks_due"),
      oldest_due_seconds: longest("media_oldest_due_task_age_seconds"),
      untaken_seconds: minOf(values("media_tasks_untaken_seconds")),
      unknown_submits: most("media_submits_unknown"),
    },
    upstreams: {
      suspended: most("media_upstream_suspensions"),
      without_key: most("media_upstreams_without_key"),
      circuits_open: labelsWith(1, "media_upstream_circuit_open", "upstream"),
      silent: labelsWith(0, "media_upstream_answers", "upstream"),
      slots: [...new Set([...used.keys(), ...waited.keys()])].map((credential) => ({
        credential,
        used: most("media_slots_used", { credential }) ?? 0,
        limit: most("media_slots_limit", { credential }),
        waited_for: most("media_slots_waited_for", { credential }) ?? 0,
      })),
    },
    files_refused: labelsWith(1, "media_file_refused", "file"),
    webhooks: {
      ready: most("media_webhooks_waiting", { state: "ready" }),
      planned: most("media_webhooks_waiting", { state: "planned" }),
      oldest_due_seconds: most("media_oldest_due_webhook_age_seconds"),
    },
    ledger: { discrepancies: most("media_hold_discrepancies") },
    storage: {
      free_part: free !== null && size ? free / size : null,
      failing: labelsWith(0, "media_storage_available", "operation"),
    },
  };
  const expiresAt = minOf(values("media_certificate_expiry_timestamp_seconds"));
  return { ...status, concerns: concernsOf(status, expiresAt, now.getTime() / 1_000) };
}

function servicesIn(replicas: readonly Replica[]): ServiceStatus[] {
  return [...Map.groupBy(replicas, ({ service }) => service)].map(([service, own]) => {
    const said = own.flatMap((one) => one.samples ?? []);
    const samples = said.filter(isRead);
    const values = (name: string, label = "", value = "") =>
      samples
        .filter((one) => one.name === name && (one.labels[label] ?? "") === value)
        .map((one) => one.value);
    const count = (name: string, wanted: 0 | 1) =>
      values(name).filter((value) => value === wanted).length;
    const unread = said.filter((one) => !isRead(one)).map(({ name }) => name);
    const versions = samples
      .filter(({ name }) => name === "media_build_info")
      .map(({ labels }) => labels["version"] ?? "");
    return {
      service,
      replicas: own.length,
      answering: own.filter((one) => one.samples).length,
      versions: [...new Set(versions)],
      not_ready: count("media_ready", 0),
      on_stream: count("media_event_stream_connected", 1),
      without_stream: count("media_event_stream_available", 0),
      waiting_for_sql: maxOf(values("media_sql_pool_connections", "state", "waiting")) ?? 0,
      event_loop_lag_seconds: maxOf(values("nodejs_eventloop_lag_p99_seconds")) ?? 0,
      key_made_at: minOf(values("media_service_key_created_timestamp_seconds")),
      unread: [...new Set(unread)],
    };
  });
}

/** Services show NaN where they could not read a figure; Node's own metrics have other reasons for it. */
function isRead({ name, value }: Sample): boolean {
  return !Number.isNaN(value) || !name.startsWith("media_");
}

/** The conditions of deploy/observability/rules.yaml that one scrape can tell, with the names of their alerts. */
function concernsOf(
  status: Omit<Status, "concerns">,
  certificateExpiresAt: Figure,
  nowSeconds: number,
): string[] {
  const { queue, upstreams, files_refused, webhooks, ledger, storage } = status;
  const found: Concern[] = [
    ...status.services.flatMap((service) => concernsOfService(service, nowSeconds)),
    ["NoTaskTaken", (queue.untaken_seconds ?? 0) > 60, "no worker takes the tasks that wait"],
    [
      "OldestDueTask",
      (queue.oldest_due_seconds ?? 0) > 60,
      "a task has been due for more than a minute",
    ],
    ["UnknownSubmits", (queue.unknown_submits ?? 0) > 0, "submits whose answer was lost"],
    [
      "UpstreamSuspended",
      (upstreams.suspended ?? 0) > 0,
      "upstreams are suspended: ops upstreams check",
    ],
    [
      "UpstreamWithoutKey",
      (upstreams.without_key ?? 0) > 0,
      "upstreams are not used because they have no key: ops upstreams check",
    ],
    [
      "FileRefused",
      files_refused.length > 0,
      `changes are refused, and the next start may fail: ${files_refused.join(", ")}`,
    ],
    [
      "UpstreamSilent",
      upstreams.silent.length > 0,
      `upstreams that answer nothing: ${upstreams.silent.join(", ")}`,
    ],
    [
      "CircuitOpen",
      upstreams.circuits_open.length > 0,
      `circuits open: ${upstreams.circuits_open.join(", ")}`,
    ],
    [
      "WebhookAge",
      (webhooks.oldest_due_seconds ?? 0) > 300,
      "a webhook has been due for more than 5 minutes",
    ],
    [
      "HoldDiscrepancies",
      (ledger.discrepancies ?? 0) > 0,
      "holds and generations do not agree: ops reconcile",
    ],
    [
      "StorageUnavailable",
      storage.failing.length > 0,
      `storage of files fails: ${storage.failing.join(", ")}`,
    ],
    [
      "StorageDisk",
      (storage.free_part ?? 1) < 0.1,
      "less than a tenth of the disk of stored files is left",
    ],
    [
      "CertificateExpires",
      (certificateExpiresAt ?? Infinity) - nowSeconds < CERTIFICATE_SECONDS,
      "a certificate expires within two weeks",
    ],
  ];
  return found.filter(([, isSo]) => isSo).map(([alert, , words]) => `${words} (${alert})`);
}

type Concern = [alert: string, isSo: boolean, words: string];

function concernsOfService(one: ServiceStatus, nowSeconds: number): Concern[] {
  const { service, replicas, answering, key_made_at } = one;
  const found: Concern[] = [
    ["ReplicaDown", answering < replicas, `${replicas - answering} of ${replicas} do not answer`],
    [
      "PostgresUnreachable",
      one.not_ready > 0,
      `${one.not_ready} of ${replicas} are not ready: Postgres does not answer, or they stop`,
    ],
    ["FiguresUnread", one.unread.length > 0, `could not read ${one.unread.join(", ")}`],
    ["EventStreamDown", one.on_stream < answering, "not connected to the event stream"],
    [
      "EventStreamUnavailable",
      one.without_stream > 0,
      "the event stream does not answer: NATS has too few servers",
    ],
    [
      "KeyAge",
      nowSeconds - (key_made_at ?? nowSeconds) > KEY_SECONDS,
      "its key is older than half a year: ops keys rotate",
    ],
  ];
  return found.map(([alert, isSo, words]) => [alert, isSo, `${service}: ${words}`]);
}

function maxOf(values: readonly number[]): Figure {
  return values.length === 0 ? null : Math.max(...values);
}

function minOf(values: readonly number[]): Figure {
  return values.length === 0 ? null : Math.min(...values);
}
