/** For each outage, series that make its condition true and false again, and when Prometheus has to notify of it. */

/** How often rules are evaluated, as deploy/observability/prometheus.yaml says; series have a sample each time. */
export const STEP_SECONDS = 10;

export type AlertTimes = {
  alert: string;
  /** Samples as promtool writes them: `0+2x5` begins with 0 and adds 2 five times. */
  series: Record<string, string>;
  /** How far apart the samples are, if not a step: rates have to work at a scrape interval of a minute. */
  interval?: "60s";
  /** When the first evaluation fires, and when it has ended; in seconds. */
  fires: readonly [at: number, until: number];
  labels?: Record<string, string>;
  /** What it says when it fires; and at last, where that differs. */
  summary: string;
  lastSummary?: string;
};

/** A replica at which the condition never holds. */
const GOOD = 'job="generation",instance="b:9000"';
const BAD = 'job="generation",instance="a:9000"';
const bad = { job: "generation", instance: "a:9000" };
/** Its figures differ from those that another alert looks at. */
const UNREAD = 'job="delivery",instance="c:9000"';
const SLOW = 'model="slow",mode="live"';
const DAY = 86_400;
const REQUESTS = "media_http_request_duration_seconds_count";
const UPSTREAM_CALLS = "media_upstream_call_duration_seconds_count";
const ENDED = "media_generations_ended_total";
const CALLS = "media_rpc_client_duration_seconds_count";

/** Falls at 60 s and rises again at 600 s, or the other way round. */
const between = (outside: number, inside: number): string =>
  `${outside}+0x5 ${inside}+0x53 ${outside}+0x30`;
/** Grows by `step` with each sample after 600 s, until 1,200 s. */
const growing = (step: number): string => `0+0x60 ${step}+${step}x59 ${60 * step}+0x60`;

/** Two replicas of each service, as every test has them. */
export const FLEET: AlertTimes["series"] = Object.fromEntries(
  ["gateway", "generation", "billing", "delivery"].flatMap((job) =>
    ["a", "b"].map((name) => [`up{job="${job}",instance="${name}:9000"}`, "1+0x400"]),
  ),
);

export const ALERT_TIMES: readonly AlertTimes[] = [
  {
    alert: "ReplicaDown",
    series: { [`up{${BAD}}`]: between(1, 0) },
    fires: [120, 600],
    labels: bad,
    summary: "generation at a:9000 answers no scrape",
  },
  {
    alert: "ReplicaMissing",
    series: { [`up{${BAD}}`]: "1+0x5 stale _x53 1+0x30" },
    fires: [360, 600],
    labels: { job: "generation" },
    summary: "generation has fewer than two replicas",
  },
  {
    alert: "PostgresUnreachable",
    series: { [`media_ready{${BAD}}`]: between(1, 0), [`media_ready{${GOOD}}`]: "1+0x90" },
    fires: [120, 600],
    labels: bad,
    summary: "generation at a:9000 gets no answer of its Postgres",
  },
  {
    alert: "ServerErrors",
    series: {
      [`${REQUESTS}{operation="listModels",status="200",${BAD}}`]: "0+97x300",
      [`${REQUESTS}{operation="listModels",status="503",${GOOD}}`]: growing(10),
    },
    interval: "60s",
    fires: [3740, 7440],
    summary: "More than 2% of the requests are answered with 5xx",
  },
  {
    alert: "CallsUnavailable",
    series: {
      [`${CALLS}{service="billing",rpc="Reserve",code="ok",${BAD}}`]: "0+94x300",
      [`${CALLS}{service="billing",rpc="Reserve",code="unavailable",${BAD}}`]: growing(10),
      [`${CALLS}{service="delivery",rpc="AcceptEnd",code="ok",${BAD}}`]: "0+94x300",
    },
    interval: "60s",
    fires: [3810, 7330],
    labels: { service: "billing" },
    summary: "More than 5% of the calls of billing fail",
  },
  {
    alert: "PoolWaits",
    series: { [`media_sql_pool_wait_seconds_sum{${BAD}}`]: growing(61) },
    fires: [850, 1260],
    labels: { job: "generation" },
    summary: "On average 5.083 callers of generation wait for a connection",
  },
  {
    alert: "RequestsShed",
    series: { [`media_overload_refused_total{kind="createVideo",${BAD}}`]: growing(21) },
    fires: [1050, 1360],
    labels: { kind: "createVideo" },
    summary: "2.1 requests or calls of createVideo are refused each second",
    lastSummary: "1.05 requests or calls of createVideo are refused each second",
  },
  {
    alert: "EventLoopLag",
    series: { [`nodejs_eventloop_lag_p99_seconds{${BAD}}`]: between(0.01, 0.3) },
    fires: [360, 600],
    labels: bad,
    summary: "generation at a:9000 has too much to compute",
  },
  {
    alert: "NoTaskTaken",
    series: {
      [`media_tasks_untaken_seconds{${BAD}}`]: "0+10x90",
      [`media_tasks_untaken_seconds{${GOOD}}`]: "0+10x20 0+0x90",
    },
    fires: [70, 210],
    summary: "Tasks wait, and no worker has taken one for 1m 10s",
    lastSummary: "Tasks wait, and no worker has taken one for 3m 20s",
  },
  {
    alert: "OldestDueTask",
    series: {
      [`media_oldest_due_task_age_seconds{${SLOW},${BAD}}`]: "0+10x20 0+0x90",
      [`media_oldest_due_task_age_seconds{model="quick",mode="live",${BAD}}`]: "1+0x90",
    },
    fires: [70, 210],
    labels: { mode: "live", model: "slow" },
    summary: "A task of slow has been due for 1m 10s",
    lastSummary: "A task of slow has been due for 3m 20s",
  },
  {
    alert: "WebhookAge",
    series: { [`media_oldest_due_webhook_age_seconds{${BAD}}`]: "0+10x40 0+0x90" },
    fires: [340, 410],
    summary: "A webhook has been due for 5m 40s",
    lastSummary: "A webhook has been due for 6m 40s",
  },
  {
    alert: "UpstreamClosed",
    series: { [`media_upstream_closed{paused="credential one",${BAD}}`]: between(0, 1) },
    fires: [60, 600],
    labels: { paused: "credential one" },
    summary: "The credential one is paused and needs operators: ops upstream check",
  },
  {
    alert: "UpstreamSilent",
    series: {
      [`media_upstream_answers{upstream="first",${BAD}}`]: between(1, 0),
      [`media_upstream_answers{upstream="first",${GOOD}}`]: "1+0x90",
      [`media_upstream_answers{upstream="simulator",${BAD}}`]: "1+0x90",
    },
    fires: [120, 600],
    labels: { upstream: "first" },
    summary: "The upstream first answers nothing",
  },
  {
    alert: "UpstreamWithoutKey",
    series: { [`media_upstreams_without_key{${BAD}}`]: between(0, 2) },
    fires: [60, 600],
    summary: "2 upstreams are not used, for want of a key: ops upstream check",
  },
  {
    alert: "UpstreamUnavailable",
    series: { [`media_upstream_unavailable{paused="upstream first",${BAD}}`]: between(0, 1) },
    fires: [120, 600],
    labels: { paused: "upstream first" },
    summary: "The upstream first does not answer submits",
  },
  {
    alert: "UpstreamRefuses",
    series: {
      [`${UPSTREAM_CALLS}{upstream="first",call="submit",outcome="refused",${BAD}}`]: growing(1),
      [`${UPSTREAM_CALLS}{upstream="first",call="poll",outcome="succeeded",${BAD}}`]: "0+0x180",
      [`${UPSTREAM_CALLS}{upstream="second",call="submit",outcome="refused",${GOOD}}`]: growing(1),
      [`${UPSTREAM_CALLS}{upstream="second",call="poll",outcome="succeeded",${GOOD}}`]: growing(1),
    },
    fires: [700, 2920],
    labels: { upstream: "first" },
    summary: "The upstream first refuses nearly every request as invalid",
  },
  {
    alert: "UnknownSubmits",
    series: { [`media_submits_unknown{${BAD}}`]: between(0, 3) },
    fires: [180, 600],
    summary: "Of 3 submits nobody knows whether they made a job",
  },
  {
    alert: "HoldDiscrepancies",
    series: { [`media_hold_discrepancies{${BAD}}`]: between(0, 2) },
    fires: [60, 600],
    summary: "2 holds and generations do not agree: ops reconcile",
  },
  {
    alert: "ImagesInternal",
    series: {
      [`${ENDED}{kind="image",status="success",code="",${BAD}}`]: "0+97x300",
      [`${ENDED}{kind="image",status="failed",code="internal",${BAD}}`]: growing(10),
      [`${ENDED}{kind="video",status="failed",code="upstream_failed",${BAD}}`]: "0+97x300",
    },
    fires: [720, 1690],
    summary: "2.02% of the images failed by a fault of ours",
  },
  {
    alert: "EventStreamDown",
    series: {
      [`media_event_stream_connected{${BAD}}`]: between(1, 0),
      [`media_event_stream_connected{${GOOD}}`]: "1+0x90",
    },
    fires: [120, 600],
    labels: { job: "generation" },
    summary: "generation has no connection to NATS",
  },
  {
    alert: "EventStreamUnavailable",
    series: {
      [`media_event_stream_available{${BAD}}`]: between(1, 0),
      [`media_event_stream_available{${GOOD}}`]: "1+0x90",
    },
    fires: [120, 600],
    summary: "The event stream does not answer: NATS has too few servers",
  },
  {
    alert: "EventStreamLost",
    series: { [`media_event_stream_made_total{${BAD}}`]: "0+0x5 1+0x150" },
    fires: [60, 960],
    summary: "The event stream was gone and has been made again, empty",
  },
  {
    alert: "StorageUnavailable",
    series: {
      [`media_storage_available{operation="write",${BAD}}`]: between(1, 0),
      [`media_storage_available{operation="read",${BAD}}`]: "1+0x90",
    },
    fires: [120, 600],
    labels: { operation: "write" },
    summary: "Stored files: no write succeeds",
  },
  {
    alert: "StorageDisk",
    series: {
      [`media_storage_free_bytes{${BAD}}`]: between(500, 99),
      [`media_storage_size_bytes{${BAD}}`]: "1000+0x90",
    },
    fires: [60, 600],
    summary: "9.9% of the disk of stored files is left",
  },
  {
    alert: "FiguresUnread",
    series: {
      [`media_oldest_due_webhook_age_seconds{${UNREAD}}`]: `0+0x5 ${"NaN ".repeat(54)}0+0x30`,
    },
    fires: [120, 600],
    labels: { job: "delivery" },
    summary: "delivery cannot read its figures: alerts about them are silent",
  },
  {
    alert: "KeyAge",
    series: {
      [`media_service_key_created_timestamp_seconds{${BAD}}`]: `-${180 * DAY - 50}+0x59 0+0x30`,
    },
    fires: [60, 600],
    labels: { job: "generation" },
    summary: "The key of generation is 180d 0h 0m 10s old: ops service-key rotate",
    lastSummary: "The key of generation is 180d 0h 9m 0s old: ops service-key rotate",
  },
  {
    alert: "CertificateExpires",
    series: {
      [`media_certificate_expiry_timestamp_seconds{certificate="rpc",${BAD}}`]: between(
        15 * DAY,
        14 * DAY,
      ),
    },
    fires: [60, 600],
    labels: { job: "generation", certificate: "rpc" },
    summary: "A certificate of generation expires in 13d 23h 59m 0s",
    lastSummary: "A certificate of generation expires in 13d 23h 50m 10s",
  },
];
