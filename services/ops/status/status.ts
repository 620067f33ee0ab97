/** What matters now, from one scrape of every replica. */
import type { ServiceName } from "#runtime/service/service.ts";
import type { Labels, Sample } from "./samples.ts";
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
  const found = figuresIn(replicas.flatMap(({ samples = [] }) => samples));
  const { most, least, labelsOf, labelsWith } = found;
  /** Series of queues are there for queues that have tasks: without any, none has, if the figures were read. */
  const isKnown = most("media_submits_unknown") !== null;
  const longest = (name: string): Figure => most(name) ?? (isKnown ? 0 : null);
  const free = most("media_storage_free_bytes");
  const size = most("media_storage_size_bytes");
  const status = {
    services: servicesIn(replicas),
    queue: {
      queued: isKnown ? found.total("media_tasks_queued") : null,
      oldest_queued_seconds: longest("media_oldest_queued_task_age_seconds"),
      due: isKnown ? found.total("media_tasks_due") : null,
      oldest_due_seconds: longest("media_oldest_due_task_age_seconds"),
      untaken_seconds: least("media_tasks_untaken_seconds"),
      unknown_submits: most("media_submits_unknown"),
    },
    upstreams: {
      suspended: most("media_upstream_suspensions"),
      without_key: most("media_upstreams_without_key"),
      circuits_open: labelsWith(1, "media_upstream_circuit_open", "upstream"),
      silent: labelsWith(0, "media_upstream_answers", "upstream"),
      slots: labelsOf("credential", "media_slots_used", "media_slots_waited_for").map(
        (credential) => ({
          credential,
          used: most("media_slots_used", { credential }) ?? 0,
          limit: most("media_slots_limit", { credential }),
          waited_for: most("media_slots_waited_for", { credential }) ?? 0,
        }),
      ),
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
  const expiresAt = least("media_certificate_expiry_timestamp_seconds");
  return { ...status, concerns: concernsOf(status, expiresAt, now.getTime() / 1_000) };
}

function servicesIn(replicas: readonly Replica[]): ServiceStatus[] {
  return [...Map.groupBy(replicas, ({ service }) => service)].map(([service, own]) => {
    const said = own.flatMap(({ samples = [] }) => samples);
    const { values, most, least, labelsOf } = figuresIn(said);
    const count = (name: string, wanted: 0 | 1) =>
      values(name).filter((value) => value === wanted).length;
    return {
      service,
      replicas: own.length,
      answering: own.filter(({ samples }) => samples).length,
      versions: labelsOf("version", "media_build_info"),
      not_ready: count("media_ready", 0),
      on_stream: count("media_event_stream_connected", 1),
      without_stream: count("media_event_stream_available", 0),
      waiting_for_sql: most("media_sql_pool_connections", { state: "waiting" }) ?? 0,
      event_loop_lag_seconds: most("nodejs_eventloop_lag_p99_seconds") ?? 0,
      key_made_at: least("media_service_key_created_timestamp_seconds"),
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
    most: (...which: Parameters<typeof series>) => extreme(Math.max, values(...which)),
    least: (...which: Parameters<typeof series>) => extreme(Math.min, values(...which)),
    /** Every replica shows the same figures, so each series counts once. */
    total: (name: string) =>
      [...Map.groupBy(series(name), ({ labels }) => JSON.stringify(labels)).values()]
        .map((same) => Math.max(...same.map(({ value }) => value)))
        .reduce((one, other) => one + other, 0),
    labelsOf,
    /** What the label says where any replica has `wanted`. */
    labelsWith: (wanted: 0 | 1, name: string, label: string) =>
      labelsOf(label, name).filter((one) => values(name, { [label]: one }).includes(wanted)),
  };
}

/** Services show NaN where they could not read a figure; Node's own metrics have other reasons for it. */
function isRead({ name, value }: Sample): boolean {
  return !Number.isNaN(value) || !name.startsWith("media_");
}

function extreme(choose: typeof Math.max, values: readonly number[]): Figure {
  return values.length === 0 ? null : choose(...values);
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** The conditions of deploy/observability/rules.yaml that one scrape can tell, with the names of their alerts. */
function concernsOf(
  status: Omit<Status, "concerns">,
  certificateExpiresAt: Figure,
  nowSeconds: number,
): string[] {
  const { queue, upstreams, files_refused, webhooks, ledger, storage } = status;
  const secondsLeft = (certificateExpiresAt ?? Infinity) - nowSeconds;
  return [
    ...status.services.flatMap((service) => concernsOfService(service, nowSeconds)),
    ...concernsIn({
      NoTaskTaken: over(60, queue.untaken_seconds) && "no worker takes the tasks that wait",
      OldestDueTask:
        over(60, queue.oldest_due_seconds) && "a task has been due for more than a minute",
      UnknownSubmits: over(0, queue.unknown_submits) && "submits whose answer was lost",
      UpstreamSuspended:
        over(0, upstreams.suspended) && "upstreams are suspended: ops upstreams check",
      UpstreamWithoutKey:
        over(0, upstreams.without_key) &&
        "upstreams are not used because they have no key: ops upstreams check",
      FileRefused: some(files_refused, "changes are refused, and the next start may fail:"),
      UpstreamSilent: some(upstreams.silent, "upstreams that answer nothing:"),
      CircuitOpen: some(upstreams.circuits_open, "circuits open:"),
      WebhookAge:
        over(300, webhooks.oldest_due_seconds) && "a webhook has been due for more than 5 minutes",
      HoldDiscrepancies:
        over(0, ledger.discrepancies) && "holds and generations do not agree: ops reconcile",
      StorageUnavailable: some(storage.failing, "storage of files fails:"),
      StorageDisk:
        (storage.free_part ?? 1) < 0.1 && "less than a tenth of the disk of stored files is left",
      CertificateExpires:
        secondsLeft < CERTIFICATE_SECONDS && "a certificate expires within two weeks",
    }),
  ];
}

function concernsOfService(one: ServiceStatus, nowSeconds: number): string[] {
  const { service, replicas, answering, not_ready, key_made_at } = one;
  const concerns = concernsIn({
    ReplicaDown: answering < replicas && `${replicas - answering} of ${replicas} do not answer`,
    PostgresUnreachable:
      not_ready > 0 &&
      `${not_ready} of ${replicas} are not ready: Postgres does not answer, or they stop`,
    FiguresUnread: some(one.unread, "could not read"),
    EventStreamDown: one.on_stream < answering && "not connected to the event stream",
    EventStreamUnavailable:
      one.without_stream > 0 && "the event stream does not answer: NATS has too few servers",
    KeyAge:
      nowSeconds - (key_made_at ?? nowSeconds) > KEY_SECONDS &&
      "its key is older than half a year: ops keys rotate",
  });
  return concerns.map((concern) => `${service}: ${concern}`);
}

/** The words of those alerts that have any. */
function concernsIn(alerts: Readonly<Record<string, string | false>>): string[] {
  return Object.entries(alerts)
    .filter(([, words]) => words !== false)
    .map(([alert, words]) => `${words} (${alert})`);
}

function over(limit: number, figure: Figure): boolean {
  return (figure ?? 0) > limit;
}

function some(names: readonly string[], words: string): string | false {
  return names.length > 0 && `${words} ${names.join(", ")}`;
}
