/** `status`: one screen of what matters now, which `npm start` shows too. */
import { Command } from "commander";
import { systemClock } from "#runtime/clock.ts";
import { readConfig } from "../session/config.ts";
import { asTable } from "../session/print.ts";
import { scrapeAll } from "../status/scrape.ts";
import { statusOf, type Status } from "../status/status.ts";

export function statusCommand(): Command {
  return new Command("status")
    .description(
      "services and their releases, queue, upstreams, webhooks, ledger; exit code 1 if something needs you",
    )
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: boolean }) => {
      const { urls, tls, expected } = readConfig(process.env);
      const status = statusOf(await scrapeAll(urls, tls), systemClock.now(), expected);
      process.stdout.write(json ? `${JSON.stringify(status)}\n` : statusScreen(status));
      if (status.concerns.length > 0) process.exitCode = 1;
    });
}

const SERVICE_COLUMNS =
  "service replicas answering not_ready release on_stream waiting_for_sql loop_lag_ms".split(" ");
const SLOT_COLUMNS = ["credential", "used", "limit", "waited_for"];

export function statusScreen(status: Status): string {
  const { queue, upstreams, webhooks, ledger, storage, concerns } = status;
  /** Unknown where no replica has told of its upstreams. */
  const count = (names: readonly string[]) =>
    shown(upstreams.without_key === null ? null : names.length);
  const services = status.services.map((one) => ({
    ...one,
    release: one.versions.join(", ") || null,
    loop_lag_ms: one.event_loop_lag_seconds && Math.round(one.event_loop_lag_seconds * 1_000),
    replicas: one.expected === null ? one.replicas : `${one.replicas} of ${one.expected}`,
  }));
  const lines = [
    [
      "queue",
      `${shown(queue.queued)} wait for a slot, the oldest ${age(queue.oldest_queued_seconds)}`,
    ],
    ["", `${shown(queue.due)} due, the oldest ${age(queue.oldest_due_seconds)}`],
    ["", `${shown(queue.unknown_submits)} submits without an answer`],
    [
      "upstreams",
      `${count(upstreams.closed)} closed to us, ${shown(upstreams.without_key)} without a key, ${count(upstreams.unavailable)} unavailable`,
    ],
    ["webhooks", `${shown(webhooks.ready)} due, the oldest ${age(webhooks.oldest_due_seconds)}`],
    ["", `${shown(webhooks.planned)} planned for later or in work`],
    [
      "ledger",
      ledger.discrepancies === null
        ? "holds and generations: not compared yet, or unreadable"
        : `${ledger.discrepancies} holds that do not agree, when last compared`,
    ],
    ...(storage.free_part === null
      ? []
      : [["storage", `${Math.round(storage.free_part * 100)} % of the disk free`]]),
  ].map(([name = "", text]) => `${name.padEnd(11)}${text}\n`);
  const ending =
    concerns.length === 0
      ? "Nothing needs an operator.\n"
      : `Look at:\n${concerns.map((concern) => `  - ${concern}\n`).join("")}`;
  return [
    asTable(SERVICE_COLUMNS, services, "?"),
    lines.join(""),
    ...(upstreams.slots.length > 0 ? [asTable(SLOT_COLUMNS, upstreams.slots, "-")] : []),
    ending,
  ].join("\n");
}

function shown(figure: number | null): string {
  return figure === null ? "?" : String(figure);
}

function age(seconds: number | null): string {
  return seconds === null ? "?" : `${Math.round(seconds)} s`;
}
