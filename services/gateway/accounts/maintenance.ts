/** What the gateway does by itself from time to time: it writes when keys were used, and takes away what has ended. */
import type { Clock } from "#runtime/clock.ts";
import { addMs } from "#runtime/clock.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { WINDOW_MS } from "../dashboard/attempts.ts";
import { deleteEnded } from "../store/maintenance.ts";
import type { KeyUses } from "./key-uses.ts";

const EVERY_MS = 60_000;
const ROUNDS_BETWEEN_CLEANINGS = 60;

export type ChoresDeps = { sql: Sql; clock: Clock; log: Log; keyUses: KeyUses };

/** Goes on until it is disposed, and writes what is left then. */
export function startChores({ sql, clock, log, keyUses }: ChoresDeps): AsyncDisposable {
  const stop = new AbortController();
  const attempt = async (chore: () => Promise<void>) => {
    await chore().catch((error: unknown) => log.warn({ err: error }, "a chore is left for later"));
  };
  const run = async () => {
    for (let round = 0; !stop.signal.aborted; round++) {
      await clock.sleep(EVERY_MS, stop.signal);
      await attempt(keyUses.flush);
      if (stop.signal.aborted || round % ROUNDS_BETWEEN_CLEANINGS !== 0) continue;
      const now = clock.now();
      await attempt(() => deleteEnded(sql, now, addMs(now, -WINDOW_MS)));
    }
  };
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
