/** `ops status` says of one scrape what the alerts say of it. */
import { expect, it } from "vitest";
import { statusScreen } from "../../services/ops/commands/status-screen.ts";
import { samplesOf } from "../../services/ops/status/samples.ts";
import { statusOf } from "../../services/ops/status/status.ts";
import { holds } from "../support/alert-rules.ts";

const NOW_SECONDS = 1_800_000_000;
const days = (count: number) => NOW_SECONDS + count * 86_400;

/** An alert with a figure that makes it fire and one that does not, and what the status says then. */
const CASES: [alert: string, bad: string, good: string, says: string][] = [
  ["PostgresUnreachable", "media_ready 0", "media_ready 1", "billing: 1 of 1 are not ready"],
  [
    "FiguresUnread",
    "media_submits_unknown Nan",
    "media_submits_unknown 0",
    "billing: could not read media_submits_unknown",
  ],
  ["NoTaskTaken", "media_tasks_untaken_seconds 61", "media_tasks_untaken_seconds 59", "no worker"],
  [
    "OldestDueTask",
    'media_oldest_due_task_age_seconds{mode="live",model="m"} 61',
    'media_oldest_due_task_age_seconds{mode="live",model="m"} 59',
    "due for more than a minute",
  ],
  ["UnknownSubmits", "media_submits_unknown 1", "media_submits_unknown 0", "answer was lost"],
  ["HoldDiscrepancies", "media_hold_discrepancies 1", "media_hold_discrepancies 0", "reconcile"],
  [
    "UpstreamSuspended",
    "media_upstream_suspensions 1",
    "media_upstream_suspensions 0",
    "upstreams check",
  ],
  [
    "CircuitOpen",
    'media_upstream_circuit_open{upstream="first"} 1',
    'media_upstream_circuit_open{upstream="first"} 0',
    "circuits open: first",
  ],
  [
    "UpstreamSilent",
    'media_upstream_answers{upstream="simulator"} 0',
    'media_upstream_answers{upstream="simulator"} 1',
    "answer nothing: simulator",
  ],
  [
    "UpstreamWithoutKey",
    "media_upstreams_without_key 2",
    "media_upstreams_without_key 0",
    "have no key",
  ],
  [
    "FileRefused",
    'media_file_refused{file="upstreams"} 1',
    'media_file_refused{file="upstreams"} 0',
    "next start may fail: upstreams",
  ],
  [
    "WebhookAge",
    "media_oldest_due_webhook_age_seconds 301",
    "media_oldest_due_webhook_age_seconds 299",
    "a webhook",
  ],
  [
    "EventStreamDown",
    "media_event_stream_connected 0",
    "media_event_stream_connected 1",
    "billing: not connected",
  ],
  [
    "EventStreamUnavailable",
    "media_event_stream_available 0",
    "media_event_stream_available 1",
    "too few servers",
  ],
  [
    "StorageUnavailable",
    'media_storage_available{operation="read"} 1\nmedia_storage_available{operation="write"} 0',
    'media_storage_available{operation="read"} 1\nmedia_storage_available{operation="write"} 1',
    "storage of files fails: write",
  ],
  [
    "StorageDisk",
    "media_storage_free_bytes 9\nmedia_storage_size_bytes 100",
    "media_storage_free_bytes 11\nmedia_storage_size_bytes 100",
    "tenth of the disk",
  ],
  [
    "CertificateExpires",
    `media_certificate_expiry_timestamp_seconds{certificate="rpc"} ${days(13)}`,
    `media_certificate_expiry_timestamp_seconds{certificate="rpc"} ${days(15)}`,
    "a certificate",
  ],
  [
    "KeyAge",
    `media_service_key_created_timestamp_seconds ${days(-181)}`,
    `media_service_key_created_timestamp_seconds ${days(-179)}`,
    "billing: its key",
  ],
];

function seen(alert: string, text: string) {
  const other = alert === "EventStreamDown" ? "" : "\nmedia_event_stream_connected 1";
  const samples = samplesOf(text + other, { job: "billing" });
  const replica = { service: "billing" as const, address: "a:9000", samples };
  return {
    fires: holds(alert, [{ atSeconds: NOW_SECONDS, samples }]),
    concerns: statusOf([replica], new Date(NOW_SECONDS * 1_000)).concerns,
  };
}

it.each(CASES)("names what %s is about, and nothing once it ends", (alert, bad, good, says) => {
  const concern = expect.stringMatching(new RegExp(`${says}.* \\(${alert}\\)$`));
  expect(seen(alert, bad)).toEqual({ fires: true, concerns: [concern] });
  expect(seen(alert, good)).toEqual({ fires: false, concerns: [] });
});

it("names replicas that do not answer", () => {
  const replica = { service: "billing" as const, address: "a:9000", samples: undefined };
  expect(statusOf([replica], new Date()).concerns).toEqual([
    "billing: 1 of 1 do not answer (ReplicaDown)",
  ]);
});

it("shows no zeros for what could not be read", () => {
  const queueAfter = (text: string) => {
    const replica = { service: "generation" as const, address: "a:9000", samples: samplesOf(text) };
    return statusOf([replica], new Date()).queue;
  };
  const unknown = { untaken_seconds: null, unknown_submits: null };
  const figures = (value: number | null) => ({
    queued: value,
    oldest_queued_seconds: value,
    due: value,
    oldest_due_seconds: value,
  });
  expect(queueAfter("media_submits_unknown Nan\nmedia_tasks_queued Nan")).toEqual({
    ...unknown,
    ...figures(null),
  });
  expect(queueAfter("media_submits_unknown 0")).toEqual({
    ...unknown,
    unknown_submits: 0,
    ...figures(0),
  });
});

it.each([
  ["media_ready 1", "holds and generations are not compared yet"],
  ["media_ready 1\nmedia_hold_discrepancies 0", "0 holds that do not agree, when last compared"],
  ["media_ready 1\nmedia_hold_discrepancies Nan", "? holds that do not agree, when last compared"],
])("says of the ledger, after %j, %j", (text, says) => {
  const replica = { service: "generation" as const, address: "a:9000", samples: samplesOf(text) };
  expect(statusScreen(statusOf([replica], new Date()))).toContain(`ledger     ${says}\n`);
});
