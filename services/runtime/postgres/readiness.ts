/** Whether this process should be sent calls. */
import { type Clock, succeeds, systemClock, within } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Sql } from "./connect.ts";
import { requiredSchema } from "./functions.ts";
import { DatabaseUnavailable } from "./limits.ts";
import type { Shutdown } from "../shutdown.ts";

/** Whether this process can serve calls now. Never rejects. */
export type IsReady = () => Promise<boolean>;

type ReadinessDeps = { sql: Sql; clock: Clock; shutdown: Pick<Shutdown, "begun"> };

/** An answer is used again for this long, whoever asks. */
const TRUST_MS = 1_000;
/** Longer than an answer takes on a machine that has ten times as much to do as it can. */
const TIMEOUT_MS = 3_000;
/** One look may be late because this process was busy. */
const MAX_FAILED = 1;
/** Older looks say nothing. */
const STALE_MS = 15_000;

/**
 * False while the service stops, and while its Postgres does not answer. Peers, event stream and storage are not
 * checked: every replica needs the same ones, so that one outage would take out all, and the calls that can do without.
 */
export function createReadiness({ sql, clock, shutdown }: ReadinessDeps) {
  let last: { atMs: number; answer: Promise<boolean> } | undefined;
  let failed = 0;
  let isLooking = false;
  const check = async () => {
    isLooking = true;
    // Postgres takes the machine's time, whatever `clock` says.
    const isUp = (await within(systemClock, TIMEOUT_MS, succeeds(sql`select 1 as one`))) ?? false;
    isLooking = false;
    failed = isUp ? 0 : failed + 1;
    return isUp;
  };
  const look = () => {
    const atMs = clock.monotonicMs();
    const ageMs = last ? atMs - last.atMs : Infinity;
    if (ageMs >= STALE_MS) failed = 0;
    if (!last || (ageMs >= TRUST_MS && !isLooking)) last = { atMs, answer: check() };
    return last.answer;
  };
  return {
    isReady: async (): Promise<boolean> => !shutdown.begun.aborted && look(),
    /** False when Postgres has not answered twice in a row. Answers at once, of the looks that have ended. */
    hasPostgres: (): boolean => {
      void look();
      return failed <= MAX_FAILED;
    },
  };
}

const CHECK_EVERY_MS = 500;
const LOG_EVERY_CHECKS = 20;

/**
 * Resolves once all migrations of `directory` and the functions beside it have been applied, whoever did it; later
 * ones may have been, too, so that a release runs on the schema of the next. Says in the log what it waits for.
 */
export async function schemaReady(
  sql: Sql,
  { schema, directory }: { schema: string; directory: string },
  { clock, log }: { clock: Clock; log: Log },
): Promise<void> {
  const required = await requiredSchema(directory);
  for (let checks = 0; ; checks++) {
    const lack = await missing(sql, schema, required);
    if (lack === undefined) return;
    if (checks % LOG_EVERY_CHECKS === 0) {
      log.warn({ schema, reason: lack.reason }, `waiting for ${lack.thing}`);
    }
    await clock.sleep(CHECK_EVERY_MS);
  }
}

type Lack = { thing: string; reason: string };

const INSUFFICIENT_PRIVILEGE = "42501";

/** What this code cannot run without, and why; undefined when it can. */
async function missing(
  sql: Sql,
  schema: string,
  { versions, sha256 }: { versions: string[]; sha256: string },
): Promise<Lack | undefined> {
  const migration = (reason: string): Lack => ({
    thing: `the schema: run "ops migrate ${schema}"`,
    reason,
  });
  try {
    const applied = await sql<{ version: string }[]>`
      select version from ${sql(`${schema}.schema_migrations`)}`;
    const found = new Set(applied.map(({ version }) => version));
    const pending = versions.filter((version) => !found.has(version));
    if (pending.length > 0) return migration(`migrations ${pending.join(", ")} are not applied`);
    const [functions] = await sql`
      select 1 as one from ${sql(`${schema}.schema_functions`)} where sha256 = ${sha256}`;
    return functions ? undefined : migration("its functions are not applied");
  } catch (error) {
    const { message: reason, code } = error as Error & { code?: string };
    if (error instanceof DatabaseUnavailable) return { thing: "Postgres", reason };
    if (code !== INSUFFICIENT_PRIVILEGE) return migration(reason);
    return { thing: `the rights of the role: DATABASE_URL must name media_${schema}`, reason };
  }
}
