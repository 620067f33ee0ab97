/** `ops status` says of one scrape what the alerts say of it. */
import { expect, it } from "vitest";
import { samplesOf } from "../../services/ops/status/samples.ts";
import { statusOf } from "../../services/ops/status/status.ts";
import { holds } from "../support/alert-rules.ts";

const NOW_SECONDS = 1_800_000_000;
const days = (count: number) => NOW_SECONDS + count * 86_400;

/** An alert with a figure that makes it fire and one that does not, and what the status says then. */
const CASES: [alert: string, bad: string, good: string, says: string][] = [
  ["NoTaskTaken", "media_tasks_untaken_seconds 61", "media_tasks_untaken_seconds 59", "no worker"],
  [
    "OldestDueTask",
    'media_oldest_due_task_age_seconds{mode="live",model="m"} 61',
    'media_oldest_due_task_age_seconds{mode="live",model="m"} 59',
    "due for more than a minute",
  ],
  ["UnknownSubmits", "media_submits_unknown 1", "media_submits_unknown 0", "answer was lost"],
  ["HoldDiscrepancies", "media_hold_discrepancies 1", "media_hold_discrepancies 0", "reconcile"],
  ["RouteSuspended", "media_route_closures 1", "media_route_closures 0", "provider check"],
  [
    "CircuitOpen",
    'media_route_circuit_open{route="first"} 1',
    'media_route_circuit_open{route="first"} 0',
    "circuits open: first",
  ],
  ["RouteWithoutKey", "media_routes_without_key 2", "media_routes_without_key 0", "have no key"],
  [
    "FileRefused",
    'media_file_refused{file="upstreams"} 1',
    'media_file_refused{file="upstreams"} 0',
    "next start would fail: upstreams",
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
  expect(seen(alert, bad)).toEqual({ fires: true, concerns: [expect.stringContaining(says)] });
  expect(seen(alert, good)).toEqual({ fires: false, concerns: [] });
});

it("names replicas that do not answer", () => {
  const replica = { service: "billing" as const, address: "a:9000", samples: undefined };
  expect(statusOf([replica], new Date()).concerns).toEqual(["billing: 1 of 1 do not answer"]);
});
