/** Claims of due deliveries under a lease, and their release. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";

/** A delivery that the claim has ended as `disabled`, because its URL is disabled. */
export type StoppedDelivery = { hostSlot: null };

/** A host of an account, as claims name it: "account host". */
export type ReceiverName = `${string} ${string}`;

export type Claim = {
  now: Date;
  leaseUntil: Date;
  /** Claims take accounts in order of id, starting after this one and wrapping around. */
  afterAccount: string;
  /** The receiver of an account that had the last turn: its hosts come in order of name, after this one's. */
  lastReceivers: readonly ReceiverName[];
  /** The maximum number of slots. */
  slots: number;
  /** How many of them are given to accounts in turn; the others are for `fastReceivers`. */
  openSlots: number;
  /** Slots of an account over all processes, and how many of them it has at most in its turn. */
  slotsPerAccount: number;
  openSlotsPerAccount: number;
  /** Slots that an account gets in one turn. */
  slotsPerTurn: number;
  /** Slots of a receiver over all processes. */
  slotsPerReceiver: number;
  fastReceivers: readonly ReceiverName[];
  /** Their slots take one delivery each; those of others take up to `deliveriesPerSlot`. */
  slowReceivers: readonly ReceiverName[];
  deliveriesPerSlot: number;
  /** About how many deliveries to take in all: the fewer the slots, the more each takes. */
  rows: number;
};

/** Leases ready deliveries. Rows come by receiver, as they were chosen, and slot; within a slot the longest due first. */
export async function claimDeliveries(
  sql: Db,
  claim: Claim,
): Promise<((ClaimedDelivery & { inTurn: boolean }) | StoppedDelivery)[]> {
  return sql<((ClaimedDelivery & { inTurn: boolean }) | StoppedDelivery)[]>`
    select account_id, id, mode, event_id, url, host, body, attempt_count, redelivered, fence, host_slot, in_turn,
      request_id, traceparent
    from delivery.claim_deliveries(${claim.now}, ${claim.leaseUntil}, ${claim.afterAccount}, ${claim.openSlots},
      ${claim.slotsPerReceiver}, ${claim.slowReceivers as string[]}, ${claim.deliveriesPerSlot}, ${claim.rows},
      ${claim.slots}, ${claim.slotsPerAccount}, ${claim.openSlotsPerAccount}, ${claim.slotsPerTurn},
      ${claim.lastReceivers as string[]}, ${claim.fastReceivers as string[]})`;
}

/** Resolves once the claims that are running now have ended. */
export async function waitForRunningClaims(sql: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'))`;
}

/**
 * Makes deliveries ready again, unless their lease was lost. With `wereSent`, an attempt with an unknown outcome is
 * recorded for each.
 */
export async function releaseIfLeased(
  sql: Db,
  claims: readonly Pick<ClaimedDelivery, "accountId" | "id" | "fence">[],
  { wereSent }: { wereSent: boolean },
): Promise<void> {
  await sql`
    select delivery.release_deliveries(${claims.map((one) => one.accountId)}::text[],
      ${claims.map((one) => one.id)}::text[], ${claims.map((one) => one.fence.toString())}::bigint[], ${wereSent})`;
}

/** Makes deliveries due at `due`, unless their lease was lost. No attempt was made, so that none is recorded. */
export async function postponeIfLeased(
  sql: Db,
  claims: readonly Pick<ClaimedDelivery, "accountId" | "id" | "fence">[],
  due: Date,
): Promise<void> {
  await sql`
    select delivery.postpone_deliveries(${claims.map((one) => one.accountId)}::text[],
      ${claims.map((one) => one.id)}::text[], ${claims.map((one) => one.fence.toString())}::bigint[], ${due})`;
}
