/** Waits until a fleet has nothing left to do. */
import { systemClock } from "#runtime/clock.ts";
import type { FireFleet } from "../fire-fleet.ts";

const CHECK_EVERY_MS = 500;

type Left = { tasks: number; webhooks: number };

/** The milliseconds it took; at most `maxMs`, then the audit finds what is left. */
export async function waitUntilQuiet(fleet: FireFleet, maxMs: number): Promise<number> {
  const beganAt = Date.now();
  for (;;) {
    const left = await readLeft(fleet);
    const waitedMs = Date.now() - beganAt;
    if (waitedMs > maxMs || left.tasks + left.webhooks === 0) return waitedMs;
    await systemClock.sleep(CHECK_EVERY_MS);
  }
}

async function readLeft({ query }: FireFleet): Promise<Left> {
  return query(async (sql) => {
    const [left] = await sql<Left[]>`
      select
        (select count(*)::int from generation.tasks) as tasks,
        (select count(*)::int from delivery.webhook_deliveries where status = 'pending') as webhooks`;
    return left ?? { tasks: 0, webhooks: 0 };
  });
}
