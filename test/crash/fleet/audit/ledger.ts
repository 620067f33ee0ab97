/** The ledger adds up: nothing is reserved, each success is charged once and nothing else is. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import type { Check } from "./evidence.ts";

type Captured = { generation_id: string; captures: number; tokens: bigint };

export const checkLedger: Check = async ({ fleet, query, customers, rows }) => {
  const wrong: string[] = [];
  using operator = fleet.operator();
  const { billing } = operator;
  for (const { accountId } of customers) {
    for (const mode of [Mode.LIVE, Mode.TEST]) {
      const { differences } = await billing.auditAccount({ accountId, mode });
      for (const { what, expected, found } of differences) {
        wrong.push(`${accountId}: ${what} is ${found}, not ${expected}`);
      }
      const { balance } = await billing.getBalance({ accountId, mode });
      if (balance?.reserved !== 0n) wrong.push(`${accountId} has ${balance?.reserved} reserved`);
    }
  }
  const captured = await query(
    (sql) => sql<Captured[]>`
      select generation_id, count(*)::int as captures, sum(spent_change)::bigint as tokens
      from billing.entries where type = 'capture' group by generation_id`,
  );
  const byId = new Map(captured.map((one) => [one.generation_id, one]));
  for (const { id, status, tokens } of rows.values()) {
    const { captures = 0, tokens: charged = 0n } = byId.get(id) ?? {};
    const due = status === "success" ? 1 : 0;
    if (captures !== due) wrong.push(`${id} ended ${status} and was charged ${captures} times`);
    else if (due === 1 && BigInt(charged) !== BigInt(tokens)) {
      wrong.push(`${id} costs ${tokens} and was charged ${charged}`);
    }
  }
  return wrong;
};
