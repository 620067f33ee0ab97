/** Claims of due deliveries under a lease, and their release. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";

/** A delivery that the claim has ended as `disabled`, because its URL is disabled. */
export type StoppedDelivery = { hostSlot: null };

export type Claim = {
  now: Date;
  leaseUntil: Date;
  /** Claims take hosts in order of name, starting after this one and wrapping around. */
  afterHost: string;
  /** The maximum number of hosts; all free slots of each are filled. */
  hosts: number;
  slotsPerHost: number;
  /** Hosts whose slots take one delivery each; the slots of other hosts take up to `deliveriesPerSlot`. */
  slowHosts: readonly string[];
  deliveriesPerSlot: number;
  /** About how many deliveries to take in all: the fewer the slots, the more each takes. */
  rows: number;
};

/** Leases ready deliveries. Rows come by host and slot; within a slot the longest due comes first. */
export async function claimDeliveries(
  sql: Db,
  claim: Claim,
): Promise<(ClaimedDelivery | StoppedDelivery)[]> {
  return sql<(ClaimedDelivery | StoppedDelivery)[]>`
    select account_id, id, mode, event_id, url, host, body, attempt_count, redelivered, fence, host_slot
    from delivery.claim_deliveries(${claim.now}, ${claim.leaseUntil}, ${claim.afterHost}, ${claim.hosts},
      ${claim.slotsPerHost}, ${claim.slowHosts as string[]}, ${claim.deliveriesPerSlot}, ${claim.rows})`;
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
