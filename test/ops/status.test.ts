/** `ops status` says of one scrape what the alerts say of it; test/deploy/promtool.test.ts says when those fire. */
import { statusScreen } from "../../services/ops/commands/status.ts";
import { samplesOf } from "../../services/ops/status/scrape.ts";
import { statusOf } from "../../services/ops/status/status.ts";
import { ALERT_TIMES } from "../deploy/alert-times.ts";
import { ALERT_RULES } from "../support/alert-rules.ts";

const NOW_SECONDS = 1_800_000_000;
const days = (count: number) => NOW_SECONDS + count * 86_400;

const DUE = "oldest_due_task_age_seconds";
const CERTIFICATE = 'certificate_expiry_timestamp_seconds{certificate="rpc"}';

/** An alert, the metric that it is about with a value that makes it fire and one that does not, and what is said of it. */
const CASES: [alert: string, metric: string, bad: number | string, good: number, says: string][] = [
  ["PostgresUnreachable", "ready", 0, 1, "billing at a:9000 gets no answer"],
  ["FiguresUnread", "submits_unknown", "Nan", 0, "billing cannot read media_submits_unknown"],
  ["OldestDueTask", `${DUE}{mode="live",model="m"}`, 61, 59, "A task of m has been due for 61 s"],
  ["UnknownSubmits", "submits_unknown", 1, 0, "nobody knows whether"],
  ["HoldDiscrepancies", "hold_discrepancies", 1, 0, "reconcile"],
  ["UpstreamClosed", 'upstream_closed{paused="key a"}', 1, 0, "The key a is paused and needs"],
  ["UpstreamUnavailable", 'upstream_unavailable{paused="upstream a"}', 1, 0, "The upstream a does"],
  ["UpstreamWithoutKey", "upstreams_without_key", 2, 0, "2 upstreams are not used"],
  ["WebhookAge", "oldest_due_webhook_age_seconds", 31, 29, "A webhook has been due"],
  ["EventStreamDown", "event_stream_connected", 0, 1, "billing has no connection"],
  ["EventStreamUnavailable", "event_stream_available", 0, 1, "too few servers"],
  ["StorageUnavailable", 'storage_available{operation="write"}', 0, 1, "no write succeeds"],
  ["StorageDisk", "storage_size_bytes 100\nmedia_storage_free_bytes", 9, 11, "9% of the disk"],
  ["CertificateExpires", CERTIFICATE, days(13), days(15), "A certificate of billing expires in 13"],
  ["KeyAge", "service_key_created_timestamp_seconds", days(-181), days(-179), "is 181 days old"],
];

it("is tested of every outage here or by Prometheus", () => {
  const tested = [...CASES.map(([alert]) => alert), ...ALERT_TIMES.map(({ alert }) => alert)];
  expect(new Set(tested)).toEqual(new Set(ALERT_RULES.map(({ alert }) => alert)));
});

/** The status after one scrape of a replica of billing, which answered so or not at all. */
function statusAfter(text: string | undefined, expected = {}) {
  const samples = text === undefined ? undefined : samplesOf(text);
  const replica = { service: "billing" as const, address: "a:9000", samples };
  return statusOf([replica], new Date(NOW_SECONDS * 1_000), expected);
}

function seen(alert: string, text: string) {
  const other = alert === "EventStreamDown" ? "" : "\nmedia_event_stream_connected 1";
  return statusAfter(text + other).concerns;
}

it.each(CASES)(
  "names what %s is about, and nothing once it ends",
  (alert, metric, bad, good, says) => {
    const concern = expect.stringMatching(new RegExp(`${says}.* \\(${alert}\\)$`)) as string;
    expect(seen(alert, `media_${metric} ${bad}`)).toEqual([concern]);
    expect(seen(alert, `media_${metric} ${good}`)).toEqual([]);
  },
);

it("names replicas that are not there, where it is told how many have to be", () => {
  const status = (billing: number) => statusAfter("media_event_stream_connected 1", { billing });
  expect(status(1).concerns).toEqual([]);
  expect(status(2).concerns).toEqual(["billing: 1 of 2 are there (ReplicaMissing)"]);
  expect(status(2).services).toMatchObject([{ replicas: 1, expected: 2 }]);
});

it("names replicas that do not answer", () => {
  expect(statusAfter(undefined).concerns).toEqual([
    "billing at a:9000 answers no scrape (ReplicaDown)",
  ]);
});

it("shows no zeros for what could not be read", () => {
  const unread = statusAfter("media_submits_unknown Nan\nmedia_tasks_queued Nan").queue;
  expect(new Set(Object.values(unread))).toEqual(new Set([null]));
  const zeros = Object.fromEntries(Object.keys(unread).map((name) => [name, 0]));
  expect(statusAfter("media_submits_unknown 0").queue).toEqual(zeros);
  const silent = statusAfter(undefined);
  expect(silent.services).toMatchObject([
    { answering: 0, not_ready: null, on_stream: null, waiting_for_sql: null },
  ]);
  expect(statusScreen(silent)).toMatch(/billing +1 +0 +\? +\? +\? +\? +\?\n/);
});

it.each([
  ["media_ready 1", "holds and generations: not compared yet, or unreadable"],
  ["media_hold_discrepancies Nan", "holds and generations: not compared yet, or unreadable"],
  ["media_hold_discrepancies 0", "0 holds that do not agree, when last compared"],
])("says of the ledger, after %j, %j", (text, says) => {
  expect(statusScreen(statusAfter(text))).toContain(`ledger     ${says}\n`);
});
