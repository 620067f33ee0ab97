/** Claims of due deliveries under a lease, and their release. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";

/** A delivery that the claim has ended as `disabled`, because its URL is disabled. */
export type StoppedDelivery = { hostSlot: null };

/** A host of an account, as claims name it: "account host". */
export type ReceiverName = `${string} ${string}`;

/** Slots that an account gets before the next one has its turn. */
export const SLOTS_PER_TURN = 8;

export type Claim = {
  now: Date;
  leaseUntil: Date;
  /** The maximum number of slots. */
  slots: number;
  /** How many of them are given to accounts in turn; the others are for `fast`. */
  openSlots: number;
  /** The host of each account that had its last turn, the latest turn last: accounts and their hosts come after these. */
  turns: ReadonlyMap<string, string>;
  fast: readonly ReceiverName[];
  slow: readonly ReceiverName[];
};

/** Leases ready deliveries. Rows come by receiver, as they were chosen, and slot; within a slot the longest due first. */
export async function claimDeliveries(
  sql: Db,
  claim: Claim,
): Promise<((ClaimedDelivery & { inTurn: boolean }) | StoppedDelivery)[]> {
  return sql<((ClaimedDelivery & { inTurn: boolean }) | StoppedDelivery)[]>`
    select account_id, id, mode, event_id, url, host, body, attempt_count, redelivered, fence, host_slot, in_turn,
      request_id, traceparent, resume_at
    from delivery.claim_deliveries(${claim.now}, ${claim.leaseUntil}, ${[...claim.turns.keys()].at(-1) ?? ""},
      ${sql.json(Object.fromEntries(claim.turns))}, ${SLOTS_PER_TURN}, ${claim.openSlots}, ${claim.slots},
      ${claim.fast as string[]}, ${claim.slow as string[]})`;
}

/** Resolves once the claims that are running now have ended. */
export async function waitForRunningClaims(sql: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'))`;
}

/**
 * Makes deliveries ready again, or due at `due`, unless their lease was lost. With `wereSent`, an attempt with an unknown
 * outcome is recorded for each.
 */
export async function releaseIfLeased(
  sql: Db,
  claims: readonly Pick<ClaimedDelivery, "accountId" | "id" | "fence">[],
  { wereSent, due }: { wereSent: boolean; due?: Date },
): Promise<void> {
  await sql`
    select delivery.release_deliveries(${claims.map((one) => one.accountId)}::text[],
      ${claims.map((one) => one.id)}::text[], ${claims.map((one) => one.fence.toString())}::bigint[], ${wereSent},
      ${due ?? null})`;
}
