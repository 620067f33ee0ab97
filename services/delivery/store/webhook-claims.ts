/** Which delivery is whose to send: claims under a lease, and giving them back. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";

/** A delivery that this worker alone may try until its lease ends. */
export type ClaimedDelivery = {
  account_id: string;
  id: string;
  mode: ModeName;
  event_id: string;
  url: string;
  host: string;
  body: Buffer;
  attempt_count: number;
  /** The account asked for this attempt; none follows by itself. */
  redelivered: boolean;
  /** Also the number of the attempt. */
  fence: bigint;
  lane: number;
};

/** A delivery that is not to be sent: its URL is disabled, and the claim has ended it. */
export type StoppedDelivery = { lane: null };

export type Claim = {
  now: Date;
  leaseUntil: Date;
  /** Claims begin with the host behind this one, and go around. */
  afterHost: string;
  /** At most this many hosts; each has all of its free lanes filled. */
  hosts: number;
  lanesOfHost: number;
  /** Hosts whose lanes take one delivery each; those of others take up to `depth`. */
  slowHosts: readonly string[];
  depth: number;
  /** About as many deliveries; fewer lanes take more each. */
  rows: number;
};

/** Leases ready deliveries, by host and lane; the longest due of a host first. */
export async function claimDeliveries(
  sql: Db,
  claim: Claim,
): Promise<(ClaimedDelivery | StoppedDelivery)[]> {
  return sql<(ClaimedDelivery | StoppedDelivery)[]>`
    select account_id, id, mode, event_id, url, host, body, attempt_count, redelivered, fence, lane
    from delivery.claim_deliveries(${claim.now}, ${claim.leaseUntil}, ${claim.afterHost}, ${claim.hosts},
      ${claim.lanesOfHost}, ${claim.slowHosts as string[]}, ${claim.depth}, ${claim.rows})`;
}

/** Resolves once claims that began before this have ended. */
export async function claimsBeforeEnded(sql: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'))`;
}

/**
 * Gives deliveries back, ready as before, where their lease was not lost. Where they were sent, what came of the
 * attempt stays unknown.
 */
export async function releaseIfLeased(
  sql: Db,
  claims: readonly Pick<ClaimedDelivery, "account_id" | "id" | "fence">[],
  { wereSent }: { wereSent: boolean },
): Promise<void> {
  await sql`
    select delivery.release_deliveries(${claims.map((one) => one.account_id)}::text[],
      ${claims.map((one) => one.id)}::text[], ${claims.map((one) => one.fence.toString())}::bigint[], ${wereSent})`;
}
