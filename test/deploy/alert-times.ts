/**
 * For each outage that needs more than one scrape, and one of each other kind, series that make its condition true and false
 * again, and when Prometheus has to notify of it. The others are limits of one figure: test/ops/status.test.ts.
 */

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
      [`media_oldest_queued_task_age_seconds{mode="live",model="m",${BAD}}`]: "0+0x60 0+10x119",
      [`media_tasks_taken_total{${BAD}}`]: "0+1x60 60+0x59 61+1x59",
      [`media_tasks_taken_total{${GOOD}}`]: "7+0x180",
    },
    fires: [780, 1210],
    summary: "No worker takes tasks, of which one waits for 2m 50s",
    lastSummary: "No worker takes tasks, of which one waits for 9m 50s",
  },
  {
    alert: "UpstreamSilent",
    series: {
      [`${UPSTREAM_CALLS}{upstream="first",call="poll",outcome="error",${BAD}}`]:
        "7+0x60 8+1x59 67+0x60",
      [`${UPSTREAM_CALLS}{upstream="first",call="poll",outcome="running",${BAD}}`]: "0+0x180",
      [`${UPSTREAM_CALLS}{upstream="second",call="poll",outcome="error",${BAD}}`]: growing(1),
      [`${UPSTREAM_CALLS}{upstream="second",call="submit",outcome="accepted",${GOOD}}`]: growing(1),
      [`${UPSTREAM_CALLS}{upstream="third",call="find",outcome="unknown",${GOOD}}`]: growing(1),
    },
    fires: [630, 1480],
    labels: { upstream: "first" },
    summary: "The upstream first answers nothing",
  },
  {
    alert: "UpstreamSilent",
    series: {
      [`${UPSTREAM_CALLS}{upstream="first",call="submit",outcome="unknown",${BAD}}`]: growing(1),
      [`${UPSTREAM_CALLS}{upstream="second",call="submit",outcome="unknown",${GOOD}}`]:
        "7+0x60 9+0x119",
    },
    fires: [630, 1480],
    labels: { upstream: "first" },
    summary: "The upstream first answers nothing",
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
    alert: "EventStreamLost",
    series: { [`media_event_stream_made_total{${BAD}}`]: "0+0x5 1+0x150" },
    fires: [60, 960],
    summary: "The event stream was gone and has been made again, empty",
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
];
