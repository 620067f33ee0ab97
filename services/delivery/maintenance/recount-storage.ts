/** Compares what is counted of each account's storage with its assets, and corrects it. */
import type { Log } from "#runtime/log.ts";
import { allowMuch } from "#runtime/postgres/time-limit.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { correctStorage, lockRecounts, nextStoringAccount } from "../store/storage-limit.ts";

/** An account with ten million assets is counted in less. */
const LIMIT_MS = 55_000;

/** Goes through all accounts once; returns early when `signal` aborts. */
export async function recountStorage(
  { sql, log }: { sql: Sql; log: Log },
  signal?: AbortSignal,
): Promise<void> {
  let accountId: string | undefined = "";
  while (!signal?.aborted) {
    accountId = await nextStoringAccount(sql, accountId);
    if (accountId === undefined) return;
    const account = accountId;
    const corrected = await sql.begin(async (tx) => {
      await allowMuch(tx, LIMIT_MS);
      await lockRecounts(tx, account);
      return correctStorage(tx, account);
    });
    for (const mode of corrected) {
      log.warn({ account_id: account, mode }, "storage counted anew");
    }
  }
}
