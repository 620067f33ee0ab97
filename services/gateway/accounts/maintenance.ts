/** The gateway's periodic jobs: recording when keys were used and how requests were answered, and deleting what has expired. */
import { HOUR_MS, MINUTE_MS, addMs } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import { startPeriodicJobs, type PeriodicJob } from "#runtime/loops.ts";
import { type EraseDeps, eraseDeleted } from "./erase.ts";
import { editorOf } from "./recorder.ts";
import * as store from "../store/store.ts";
import type { KeyUses } from "./keys.ts";
import type { RequestLog } from "./request-log.ts";

/** How late the request log is, at most, while Postgres is well. */
const REQUEST_LOG_MS = 1_000;

type MaintenanceDeps = EraseDeps & {
  newId: NewId;
  keyUses: KeyUses;
  requestLog: Pick<RequestLog, "flush">;
  requestLogDays: number;
};

/** Runs until disposed; disposal records the key uses and requests that are not recorded yet. */
export function startMaintenance(deps: MaintenanceDeps): AsyncDisposable {
  const { sql, clock, log, keyUses, requestLog, requestLogDays } = deps;
  const jobs: PeriodicJob[] = [
    { name: "record key uses", everyMs: MINUTE_MS, run: () => keyUses.flush() },
    { name: "write the request log", everyMs: REQUEST_LOG_MS, run: requestLog.flush },
    {
      name: "keep the days of the request log",
      // Requests of a day without a table are not kept.
      firstAfterMs: 0,
      everyMs: MINUTE_MS,
      run: () => store.keepRequestDays(sql, clock.now(), requestLogDays),
    },
    {
      name: "erase deleted accounts and users",
      everyMs: MINUTE_MS,
      run: (signal) => eraseDeleted(deps, signal),
    },
    {
      name: "delete expired rows",
      firstAfterMs: MINUTE_MS,
      everyMs: HOUR_MS,
      run: async () => {
        const now = clock.now();
        await store.deleteExpired(sql, now, addMs(now, -store.ATTEMPTS_KEPT_MS));
        await expireInvitations(deps);
      },
    },
  ];
  const stack = new AsyncDisposableStack();
  stack.defer(() =>
    keyUses.flush().catch((error: unknown) => log.warn({ err: error }, "key uses lost at exit")),
  );
  stack.defer(() => requestLog.flush());
  stack.use(startPeriodicJobs(jobs, deps));
  return stack;
}

async function expireInvitations(deps: MaintenanceDeps): Promise<void> {
  await deps.sql.begin(async (tx) => {
    const expired = await store.deleteExpiredInvitations(tx, deps.clock.now(), store.BATCH_SIZE);
    for (const { accountId, id, email, role } of expired) {
      const { record } = editorOf(deps, tx, accountId, { actor: "system" });
      await record({ action: "invitation.expire", target: id, details: { email, role } });
    }
  });
}
