/** Billing as its tests call it: the RPCs, a database, and accounts with Tokens. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { systemClock, type Clock } from "#runtime/clock.ts";
import { faultsOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { connectedDatabase } from "../support/database.ts";
import { memoryClient } from "../support/rpc.ts";
import { billingRoutes } from "../support/billing-deps.ts";

export async function billingFixture(clock: Clock = systemClock) {
  const database = await connectedDatabase("billing", 8);
  const { sql } = database;
  const client = memoryClient(BillingService, billingRoutes({ sql, clock }), "ops");
  return {
    ...database,
    ...client,
    /** A new account with `tokens` in live mode. */
    async account(tokens: bigint) {
      const accountId = randomId("acct");
      const of = { accountId, mode: Mode.LIVE };
      if (tokens > 0n) await client.recharge({ ...of, tokens, note: "invoice 7" });
      /** The name of a hold of the account. */
      const hold = (generationId = randomId("vgen"), attempt = 1) => ({
        ...of,
        generationId,
        attempt,
      });
      /** Reserves Tokens of a new hold, and returns its name. */
      async function reserve(tokens: bigint, by: { keyId?: string; endUser?: string } = {}) {
        const name = hold();
        await client.reserve({ hold: name, tokens, ...by });
        return name;
      }
      /** Available and reserved. */
      const balance = async () => {
        const response = await client.getBalance(of);
        return [response.balance?.available, response.balance?.reserved];
      };
      const entries = () => sql<{ type: string }[]>`
        select type from billing.entries where account_id = ${accountId} order by sequence`;
      return { accountId, of, hold, reserve, balance, entries };
    },
  };
}

/** The first fault of a refused call; undefined if it succeeded. */
export const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => faultsOf(error)[0],
  );
