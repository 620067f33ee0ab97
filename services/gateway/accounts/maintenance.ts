/** The gateway's periodic jobs: recording when keys were used, and deleting rows that have expired. */
import type { Clock } from "#runtime/clock.ts";
import { addMs } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import { startPeriodicJobs } from "#runtime/periodic-job.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { ATTEMPT_WINDOW_MS } from "../dashboard/sign-in-attempts.ts";
import { deleteExpired } from "../store/maintenance.ts";
import type { KeyUses } from "./key-uses.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export type MaintenanceDeps = { sql: Sql; clock: Clock; log: Log; keyUses: KeyUses };

/** Runs until disposed; disposal records the key uses that are not recorded yet. */
export function startMaintenance(deps: MaintenanceDeps): AsyncDisposable {
  const { sql, clock, log, keyUses } = deps;
  const jobs = [
    { name: "record key uses", firstAfterMs: MINUTE_MS, everyMs: MINUTE_MS, run: keyUses.flush },
    {
      name: "delete expired rows",
      firstAfterMs: MINUTE_MS,
      everyMs: HOUR_MS,
      run: () => deleteExpired(sql, clock.now(), addMs(clock.now(), -ATTEMPT_WINDOW_MS)),
    },
  ];
  const stack = new AsyncDisposableStack();
  stack.defer(() =>
    keyUses.flush().catch((error: unknown) => log.warn({ err: error }, "key uses lost at exit")),
  );
  stack.use(startPeriodicJobs(jobs, deps));
  return stack;
}
