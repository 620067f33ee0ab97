/** Inserts tasks and their holds for a benchmark. */
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Client } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { randomId } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { insertTasks } from "../support/insert-tasks.ts";

export async function fundedAccounts(
  billing: Client<typeof BillingService>,
  count: number,
): Promise<string[]> {
  const accounts = Array.from({ length: count }, () => randomId("acct"));
  for (const accountId of accounts) {
    await billing.recharge({ accountId, mode: Mode.LIVE, tokens: 1_000_000_000n });
  }
  return accounts;
}

/** Inserts acknowledged tasks into the queue, each with its hold. */
export async function fillQueue(
  sql: Sql,
  billing: Client<typeof BillingService>,
  accounts: readonly string[],
  count: number,
): Promise<void> {
  await sql`
    insert into generation.generations (account_id, id, kind, mode, model, input, defaulted, tokens, attempt, status,
      created_at)
    select (${accounts as string[]}::text[])[1 + n % ${accounts.length}], 'vgen_' || lpad(n::text, 26, '0'), 'video',
      'live', 'alpha-2.0', '{"prompt":"a cat","duration":5,"aspect_ratio":"16:9"}', '{}', 1, 1, 'pending', now()
    from generate_series(0, ${count - 1}::int) n`;
  await insertTasks(sql, "queue");
  const rows = await sql<{ accountId: string; id: string }[]>`
    select account_id, id from generation.tasks where step = 'queue'`;
  for (let i = 0; i < rows.length; i += 500) {
    await Promise.all(
      rows.slice(i, i + 500).map(({ accountId, id: generationId }) => {
        const hold = { accountId, mode: Mode.LIVE, generationId, attempt: 1 };
        return billing.reserve({ hold, tokens: 1n });
      }),
    );
  }
}
